import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../helper.js'
import { exchange } from '../../raw-http.js'
import { documentedOperations } from '../document/documented.js'

/** Part of every key. */
const KEY_MARK = 'k3yMark'
/** Part of every text. */
const TEXT_MARK = 't3xtMark'

const USER = `user-${KEY_MARK}`
const ADMIN = `admin-${KEY_MARK}`
const WRONG = `wrong-${KEY_MARK}`
const TEXT = `dear ${TEXT_MARK}, this is between us <|endoftext|> `

let folder: string
let service: TestService
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-secrets-'))
  const API_KEYS_FILE = join(folder, 'callers.json')
  const callers = [{ name: 'user', key: USER }]
  writeFileSync(API_KEYS_FILE, JSON.stringify({ callers }))
  service = await testService({
    API_KEYS_FILE,
    ADMIN_KEY: ADMIN,
    MAX_JSON_BODY_BYTES: '20000',
    MAX_BODY_BYTES: '20000',
    CORS_ORIGINS: '*',
  })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

/** Bodies that carry the text where a route may look for it, and where it does not. */
const TEXTS = [TEXT, [TEXT, TEXT]]
const BODIES: readonly (readonly [string, string | object])[] = [
  ...(TEXTS.flatMap((text) => [
    ['application/json', { text, context_length: 2 }],
    ['application/json', { text, model: 'default', context_length: 100, stride: 1 }],
    ['application/json', { text, context_length: 1_000_000 }],
    ['application/json', { text, context_length: 4, batch_size: 1, batch_index: 1_000_000 }],
    ['application/json', { text, unknown_field: true }],
    ['application/json', { text, model: 'no-such-model' }],
    ['application/json', { text: [text, 5] }],
    ['application/json', { text, input_ids: [1] }],
    ['application/json', { input: text, model: 'default' }],
    ['application/json', { prompt: text, model: 'default', max_tokens: 2 }],
    ['application/json', { prompt_embeds: text, model: 'default' }],
    ['application/json', { messages: [{ role: 'user', content: text }], model: 'default' }],
    ['application/json', { inputs: [{ name: 'text', shape: [1], datatype: 'BYTES', data: [text].flat() }] }],
  ]) as [string, object][]),
  ['application/json', `{"text": "${TEXT}`],
  ['application/json', `{"text": "${TEXT}\\ud800"}`],
  ['application/json', `{"text": "${TEXT}", "text": "${TEXT}"}`],
  ['application/json', `[[[["${TEXT}"]]]]`],
  ['application/json', JSON.stringify({ text: TEXT.repeat(1000) })],
  ['text/plain', TEXT],
  ['text/plain', TEXT.repeat(1000)],
  ['application/octet-stream', TEXT],
  ['application/vnd.safetensors', TEXT],
  ['image/png', TEXT],
]

const HEADS = [
  `Bearer ${USER}`,
  `Bearer ${ADMIN}`,
  `Bearer ${WRONG}`,
  `Basic ${USER}`,
  USER,
  `Bearer ${USER} ${WRONG}`,
]

function* everything(): Generator<InjectOptions> {
  for (const { method, path } of documentedOperations) {
    const url = path
      .replaceAll('{model}', 'default')
      .replaceAll('{version}', '1')
      .replaceAll('{file}', 'a.js')
    const call = { method: method.toUpperCase() as 'GET', url }
    for (const authorization of HEADS) yield { ...call, headers: { authorization } }
    if (method === 'get' || method === 'delete') continue
    for (const [type, payload] of BODIES) {
      for (const authorization of HEADS.slice(0, 2)) {
        yield { ...call, headers: { authorization, 'content-type': type }, payload }
      }
      const packed = { 'content-type': type, 'content-encoding': 'gzip', authorization: HEADS[0] }
      yield { ...call, headers: packed, payload }
    }
  }
}

/** Requests that put the mark where only its sender may see it again. */
const WRONG_VALUES: readonly InjectOptions[] = [
  { url: `/${TEXT_MARK}` },
  { url: `/v1/models/${TEXT_MARK}` },
  { url: `/metrics?${TEXT_MARK}=${TEXT_MARK}` },
  { url: '/v1/models', headers: { 'content-type': TEXT_MARK, accept: TEXT_MARK } },
  { url: '/v1/models', headers: { host: `${TEXT_MARK} ` } },
  { url: '/v1/models', headers: { 'x-request-timeout': TEXT_MARK, 'x-request-id': `"${TEXT_MARK}"` } },
  ...[
    { model: TEXT_MARK, text: 'a' },
    { [TEXT_MARK]: 1 },
    { text: 'a', outputs: [TEXT_MARK] },
    TEXT_MARK,
  ].map((payload) => ({
    method: 'POST' as const,
    url: `/v1/input-embeddings?${typeof payload === 'string' ? `model=${TEXT_MARK}` : ''}`,
    headers: { 'content-type': typeof payload === 'string' ? 'text/plain' : 'application/json' },
    payload,
  })),
]

test('keys and texts are never in the log, the metrics, or an error', async () => {
  const codes = new Set<string>()
  let count = 0
  for (const call of everything()) {
    const { statusCode, headers, body } = await service.app.inject(call)
    const said = `${JSON.stringify(headers)}\n${body}`
    const asked = `${call.method} ${call.url} ${JSON.stringify(call.headers)} → ${said.slice(0, 500)}`
    expect(said.includes(KEY_MARK), asked).toBe(false)
    if (statusCode >= 400) {
      expect(said.includes(TEXT_MARK), asked).toBe(false)
      codes.add(/"code":"(\w+)"/.exec(body)?.[1] ?? String(statusCode))
    }
    count++
  }
  for (const call of WRONG_VALUES) {
    const headers = { authorization: `Bearer ${USER}`, ...call.headers }
    const { statusCode, body } = await service.app.inject({ ...call, headers })
    if (!call.url?.toString().startsWith('/metrics')) expect(statusCode, body).toBeGreaterThanOrEqual(400)
  }
  const port = await listen(service)
  await exchange(port, `${TEXT_MARK} / HTTP/1.1\r\n\r\n`)
  const cutOff = `POST /v1/tokenize HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n${TEXT}`
  await exchange(port, cutOff, { halfClose: true })
  expect(inspect(service.config, { depth: 9 })).not.toContain(KEY_MARK)
  const wide = [
    'invalid_json',
    'invalid_request',
    'invalid_unicode',
    'invalid_encoding',
    'unauthorized',
    'forbidden',
    'model_not_found',
    'body_too_large',
    'unsupported_media_type',
    'context_too_long',
    'batch_out_of_range',
  ]
  expect([...codes]).toEqual(expect.arrayContaining(wide))
  expect(count).toBeGreaterThan(1000)
  const metrics = await service.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${USER}` } })
  expect(metrics.statusCode).toBe(200)
  expect(service.log.lines.length).toBeGreaterThan(count)
  for (const mark of [KEY_MARK, TEXT_MARK]) {
    expect(metrics.body.includes(mark)).toBe(false)
    const line = service.log.text.split('\n').find((each) => each.includes(mark))
    expect(line).toBeUndefined()
  }
  expect(service.log.text).toContain('"caller":"user"')
})
