import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Hub } from '../../../src/checkpoints/hub/hub.js'
import { until } from '../../until.js'
import { FakeHub } from './fake-hub.js'

let fake: FakeHub
const user = () => new AbortController()
beforeEach(async () => {
  fake = await FakeHub.start({ 'config.json': 'a'.repeat(100_000) })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await fake.stop()
})

function hubOf(
  signal: AbortSignal,
  timeoutSeconds = 20,
  endpoint = fake.url,
): { hub: Hub; get: () => ReturnType<Hub['get']> } {
  const hub = new Hub({ endpoint, timeoutSeconds }, signal, async () => {})
  return {
    hub,
    get: () => hub.get({ repository: 'org/model', revision: 'main', file: 'config.json' }),
  }
}

describe('an answer', () => {
  test('may be read slowly: only the server’s own idle time counts', async () => {
    const answer = await hubOf(user().signal, 3).get()
    let bytes = 0
    for await (const chunk of answer.chunks()) {
      if (bytes === 0) await setTimeout(3500)
      bytes += chunk.length
    }
    expect(bytes).toBe(100_000)
  })

  test('is dropped at once when the user stops', async () => {
    fake.intercept = () => true // never answers
    const controller = user()
    const waiting = hubOf(controller.signal).get()
    await until(() => fake.seen.length > 0, 'the request')
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  test('is requested uncompressed', async () => {
    const { get } = hubOf(user().signal)
    await (await get()).cancel()
    expect(fake.seen[0].acceptEncoding).toBe('identity')
  })
})

test('a redirect from https to http is refused', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    return new Response(null, { status: 302, headers: { location: 'http://files.example/a' } })
  })
  const { get } = hubOf(user().signal, 20, 'https://hub.example')
  await expect(get()).rejects.toThrow(
    'https://hub.example redirects to an address that is not followed: http://files.example/a',
  )
  expect(fetched).toHaveBeenCalledTimes(1)
})
