import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestService, testService } from '../../../helper.js'

const CALLERS = [
  { name: 'free', key: 'free-key' },
  { name: 'two', key: 'two-key', models: ['default', 'later'] },
  { name: 'other-model', key: 'other-key', models: ['other'] },
  { name: 'chief', key: 'chief-key', admin: true },
]

let folder: string
let service: TestService
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-callers-'))
  const API_KEYS_FILE = join(folder, 'callers.json')
  writeFileSync(API_KEYS_FILE, JSON.stringify({ callers: CALLERS }))
  service = await testService({ API_KEYS_FILE })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const get = (key: string, url: string) =>
  service.app.inject({ url, headers: { authorization: `Bearer ${key}` } })

test('the metrics count each caller, by name', async () => {
  const headers = { authorization: 'Bearer free-key' }
  const payload = { text: 'one two three' }
  for (let i = 0; i < 3; i++) {
    await service.app.inject({ method: 'POST', url: '/v1/tokenize', headers, payload })
  }
  await get('wrong-key', '/v1/models')
  const { body } = await get('free-key', '/metrics')
  expect(body).toContain('inlet_caller_requests_total{caller="free"} 3\n')
  expect(body).toContain('inlet_caller_tokens_total{caller="free"} 9\n')
  expect(body).not.toContain('-key')
})

describe('models', () => {
  const FORBIDDEN = {
    type: 'permission_error',
    code: 'forbidden',
    message: '`model` must be one that this key may use: "other".',
    param: 'model',
  }

  test.each([
    ['POST', '/v1/tokenize', { text: 'a' }],
    ['POST', '/v1/detokenize', { input_ids: [1] }],
    ['POST', '/v1/input-embeddings', { text: 'a' }],
    ['POST', '/v1/input-embeddings', { text: 'a', model: 'default' }],
    ['POST', '/v1/prompt-embeds', { text: 'a', model: 'default' }],
    ['POST', '/v1/embeddings', { input: 'a', model: 'default' }],
    ['POST', '/v1/models/default/neighbors', { text: 'a' }],
    ['GET', '/v1/models/default', undefined],
    ['GET', '/v1/models/default/position-embeddings?context_length=2', undefined],
    ['GET', '/v2/models/default', undefined],
    ['GET', '/v2/models/default/versions/1/config', undefined],
    ['POST', '/v2/models/default/infer', { inputs: [] }],
  ] as const)('%s %s is not for this key', async (method, url, payload) => {
    const answer = await service.app.inject({
      method,
      url,
      headers: { authorization: 'Bearer other-key' },
      ...(payload && { payload }),
    })
    expect(answer.statusCode).toBe(403)
    expect(answer.json().error).toEqual(url.startsWith('/v2') ? FORBIDDEN.message : FORBIDDEN)
  })

  test('that are not there are named by those that the key may use', async () => {
    for (const url of ['/v1/models/later', '/v2/models/later', '/v1/models/later/position-embeddings']) {
      const answer = await get('two-key', url)
      expect(answer.statusCode).toBe(404)
      expect(answer.body).toContain('must be one of \\"default\\". Given: \\"later\\"')
    }
    const none = await get('other-key', '/v1/models/other')
    expect(none.json().error.message).toBe('`model` must be one of none. Given: "other"')
    const headers = { authorization: 'Bearer other-key' }
    for (const [url, payload] of [
      ['/v1/tokenize', { text: 'a', model: 'other' }],
      ['/v1/input-embeddings', { text: 'a', model: 'other' }],
      ['/v1/embeddings', { input: 'a', model: 'other' }],
      ['/v2/models/other/infer', { inputs: [] }],
    ] as const) {
      const answer = await service.app.inject({ method: 'POST', url, headers, payload })
      expect(answer.statusCode).toBe(404)
      expect(answer.body).not.toContain('default')
    }
  })

  test('the metrics name all, and are for keys without that bound', async () => {
    const { statusCode, body } = await get('other-key', '/metrics')
    expect(statusCode).toBe(403)
    expect(body).not.toContain('default')
    expect(JSON.parse(body).error).toMatchObject({ code: 'forbidden', param: 'authorization' })
  })

  test('lists show no others', async () => {
    expect((await get('other-key', '/v1/models')).json().data).toEqual([])
    expect((await get('other-key', '/v2/models')).json()).toEqual({ models: [] })
    expect((await get('free-key', '/v2/models')).json()).toEqual({ models: ['default'] })
  })

  test('an encoding is no model', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/v1/tokenize',
      headers: { authorization: 'Bearer other-key' },
      payload: { text: 'a', encoding: 'gpt2' },
    })
    expect(answer.statusCode).toBe(200)
  })
})

test('a caller who is an admin may change models; others may not', async () => {
  const unload = (key: string) =>
    service.app.inject({
      method: 'POST',
      url: '/v1/models/default/unload',
      headers: { authorization: `Bearer ${key}` },
    })
  expect((await unload('free-key')).json().error.code).toBe('forbidden')
  expect((await unload('chief-key')).statusCode).toBe(200)
})
