import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InletError } from '../../../src/first-layer/errors.js'
import { REST_MS, sendError } from '../../../src/service/answer/errors.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function refused() {
  const raw = Object.assign(new PassThrough(), { complete: false, headers: {} })
  const reply: object = new Proxy({}, { get: () => () => reply })
  const request = { raw, log: { error() {} } }
  sendError(
    new InletError('overloaded', 'no room'),
    request as unknown as FastifyRequest,
    reply as FastifyReply,
  )
  return raw
}

test('the rest of a refused body that never ends is cut', () => {
  const raw = refused()
  raw.write('a')
  vi.advanceTimersByTime(REST_MS - 1)
  expect(raw.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(raw.destroyed).toBe(true)
})

test('one that ends leaves no timer behind', async () => {
  const raw = refused()
  raw.end('a')
  await new Promise((resolve) => raw.once('close', resolve))
  expect(vi.getTimerCount()).toBe(0)
})
