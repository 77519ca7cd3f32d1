import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../helper.js'
import { exchange } from '../../raw-http.js'

const CALLERS = [
  { name: 'free', key: 'free-key' },
  { name: 'slow', key: 'slow-key', requests_per_second: 0.01, burst: 2 },
  { name: 'bytes', key: 'bytes-key', bytes_per_second: 100 },
  { name: 'chunks', key: 'chunks-key', bytes_per_second: 100 },
  { name: 'claims', key: 'claims-key', bytes_per_second: 1000 },
  { name: 'tokens', key: 'tokens-key', tokens_per_second: 10, requests_per_second: 1000 },
  { name: 'both', key: 'both-key', tokens_per_second: 1e6, requests_per_second: 0.01, burst: 5 },
  { name: 'day', key: 'day-key', tokens_per_day: 100 },
  ...['windows', 'position', 'nearest', 'infer', 'ids-back'].map((name) => ({
    name,
    key: `${name}-key`,
    tokens_per_day: 5,
  })),
  { name: 'two', key: 'two-key', models: ['default', 'later'] },
  { name: 'other-model', key: 'other-key', models: ['other'] },
  { name: 'chief', key: 'chief-key', admin: true },
]

let folder: string
let service: TestService
let port: number
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-callers-'))
  const API_KEYS_FILE = join(folder, 'callers.json')
  writeFileSync(API_KEYS_FILE, JSON.stringify({ callers: CALLERS }))
  service = await testService({ API_KEYS_FILE, CORS_ORIGINS: '*' })
  port = await listen(service)
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const tokenize = (key: string, text: string, model?: string) =>
  service.app.inject({
    method: 'POST',
    url: '/v1/tokenize',
    headers: { authorization: `Bearer ${key}` },
    payload: { text, model },
  })

const get = (key: string, url: string) =>
  service.app.inject({ url, headers: { authorization: `Bearer ${key}` } })

const LONG = 'one two three four five '.repeat(20)
const INFERENCE = {
  inputs: [{ name: 'text', shape: [1], datatype: 'BYTES', data: [LONG] }],
  parameters: { context_length: 500 },
}

describe('rates', () => {
  test('a caller without rates sees no word of them', async () => {
    const { headers, statusCode } = await get('free-key', '/v1/models')
    expect(statusCode).toBe(200)
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([])
  })

  test('requests: the burst, then 429 with the seconds until the next one', async () => {
    const first = await get('slow-key', '/v1/models')
    expect(first.statusCode).toBe(200)
    expect(first.headers['ratelimit-policy']).toBe('"requests";q=2;w=200')
    expect(first.headers.ratelimit).toBe('"requests";r=1;t=100')
    expect((await get('slow-key', '/v1/models')).headers.ratelimit).toBe('"requests";r=0;t=100')
    const refused = await get('slow-key', '/v1/models')
    expect(refused.statusCode).toBe(429)
    expect(refused.json().error).toEqual({
      type: 'rate_limit_error',
      code: 'rate_limited',
      message: 'This key may use 2 requests in 200 s. Try again in 100 s.',
      param: null,
    })
    expect(refused.headers['retry-after']).toBe('100')
    expect(refused.headers.ratelimit).toBe('"requests";r=0;t=100')
    expect((await service.app.inject('/health/live')).statusCode).toBe(200)
    expect((await get('free-key', '/v1/models')).statusCode).toBe(200)
  })

  test('bytes of bodies, whatever they ask for', async () => {
    const long = await tokenize('bytes-key', 'a'.repeat(1000))
    expect(long.statusCode).toBe(200)
    expect(long.headers['ratelimit-policy']).toBe('"bytes";q=100;w=1;qu="content-bytes"')
    const refused = await tokenize('bytes-key', 'a')
    expect(refused.json().error.message).toMatch(
      /^This key may use 100 bytes of bodies in 1 s\. Try again in \d+ s\./,
    )
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(5)
  })

  test('bytes of a body without Content-Length', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 2; i++) {
      const status = await new Promise<number>((resolve, reject) => {
        const headers = { authorization: 'Bearer chunks-key', 'content-type': 'application/json' }
        const call = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/tokenize', headers })
        call.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)))
        call.on('error', reject)
        call.write('{"text":"')
        call.end(`${'a'.repeat(2000)}"}`)
      })
      statuses.push(status)
    }
    expect(statuses).toEqual([200, 429])
  })

  test('bytes that a header claims and that never come are not charged', async () => {
    const head =
      'POST /v1/tokenize HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer claims-key\r\nContent-Type: application/json\r\n'
    const [claimed] = await exchange(port, `${head}Content-Length: 1000000000000\r\n\r\n{`)
    expect(claimed?.status).toBe(413)
    expect((await tokenize('claims-key', 'a')).statusCode).toBe(200)
  })

  test('bytes of a long body', async () => {
    expect((await tokenize('claims-key', 'a'.repeat(100_000))).statusCode).toBe(200)
    const refused = await tokenize('claims-key', 'a')
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(90)
  })

  test('tokens are charged when they are known', async () => {
    expect((await tokenize('tokens-key', 'one two three four five '.repeat(20))).statusCode).toBe(200)
    const refused = await tokenize('tokens-key', 'one')
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['ratelimit-policy']).toBe('"requests";q=1000;w=1, "tokens";q=10;w=1;qu="tokens"')
    expect(refused.headers.ratelimit).toMatch(/^"requests";r=\d+;t=\d+, "tokens";r=0;t=\d+$/)
    expect(refused.json().error.message).toContain('10 tokens in 1 s')
  })

  test.each([
    ['windows', '/v1/input-embeddings', { text: LONG, context_length: 500 }, 'no_windows'],
    ['position', '/v1/input-embeddings', { text: LONG, position_offset: 5000 }, 'context_too_long'],
    ['nearest', '/v1/models/default/neighbors', { text: LONG, k: 1 }, undefined],
    ['infer', '/v2/models/default/infer', INFERENCE, undefined],
    ['ids-back', '/v1/detokenize', { input_ids: Array(100).fill(1) }, undefined],
  ] as const)('tokens of a request that fails, or gives text (%s)', async (name, url, payload, code) => {
    const headers = { authorization: `Bearer ${name}-key` }
    const answer = await service.app.inject({ method: 'POST', url, headers, payload })
    if (code !== undefined) expect(answer.json().error.code).toBe(code)
    const refused = await get(`${name}-key`, '/v1/models')
    expect(refused.statusCode).toBe(429)
    expect(refused.json().error.message).toContain('5 tokens in 86400 s')
  })

  test('tokens are no requests', async () => {
    expect((await tokenize('both-key', 'one two three four five '.repeat(20))).statusCode).toBe(200)
    expect((await tokenize('both-key', 'one')).headers.ratelimit).toMatch(
      /^"requests";r=3;t=\d+, "tokens";r=\d+/,
    )
  })

  test('tokens of a day', async () => {
    const first = await tokenize('day-key', 'one two three four five')
    expect(first.headers['ratelimit-policy']).toBe('"tokens-day";q=100;w=86400;qu="tokens"')
    const next = await tokenize('day-key', 'one '.repeat(120))
    expect(next.statusCode).toBe(200)
    expect(next.headers.ratelimit).toMatch(/^"tokens-day";r=9[45];t=/)
    expect((await tokenize('day-key', 'one')).json().error.message).toContain('100 tokens in 86400 s')
  })

  test('a page may read what is left', async () => {
    const headers = { authorization: 'Bearer slow-key', origin: 'https://page.example' }
    const answer = await service.app.inject({ url: '/v1/models', headers })
    expect(answer.headers['access-control-expose-headers']).toContain('RateLimit, RateLimit-Policy')
  })

  test('the metrics count each caller, by name', async () => {
    const { body } = await get('free-key', '/metrics')
    expect(body).toMatch(/^inlet_caller_requests_total\{caller="slow"\} \d+$/m)
    expect(body).toMatch(/^inlet_caller_rate_limited_total\{caller="slow"\} [1-9]/m)
    expect(body).toMatch(/^inlet_caller_tokens_total\{caller="tokens"\} 1\d\d$/m)
    expect(body).toMatch(/^inlet_caller_response_bytes_total\{caller="tokens"\} [1-9]/m)
    expect(body).not.toContain('-key')
  })
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
