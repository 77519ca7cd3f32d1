import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unloaded } from '../../../src/models/entry.js'
import { environmentCard } from '../../../src/models/environment.js'
import type { ErrorCode } from '../../../src/service/answer/error-table.js'
import { buildApp } from '../../../src/service/app.js'
import { ERRORS, readConfig } from '../../../src/service/features.js'
import { bindIn, Models } from '../../../src/service/models/library/models.js'
import { Liveness } from '../../../src/service/process/liveness.js'
import { type TestService, testService } from '../../helper.js'
import { ownTokenizers } from '../../single-thread.js'

const SECRET = 'what only the log may say'

let service: TestService
beforeAll(async () => {
  const limits = { MAX_BODY_BYTES: '1000', MAX_JSON_BODY_BYTES: '1000', MAX_JSON_RESPONSE_BYTES: '10000' }
  service = await testService(
    { ...limits, VOCAB_SIZE: '50000' },
    {
      encoding: (encoding) => ({
        ...encoding,
        get vocabulary(): never {
          throw new Error(SECRET)
        },
      }),
    },
  )
})
afterAll(() => service.close())

const EMBED = { method: 'POST', url: '/v1/input-embeddings' } as const
const json = (payload: string | object, headers = {}) => ({
  ...EMBED,
  payload,
  headers: { 'content-type': 'application/json', ...headers },
})

/** One way to each error that a request can meet. */
const WAYS: Partial<Record<ErrorCode, object>> = {
  invalid_json: json('{"text": '),
  invalid_request: json({ text: 'a', stride: 1 }),
  invalid_unicode: json('{"text": "a\\ud800"}'),
  empty_input: json({ text: '' }),
  invalid_encoding: json('{"text": "a"}', { 'content-encoding': 'gzip' }),
  not_found: { url: '/v3' },
  model_not_found: { url: '/v1/models/gpt5' },
  method_not_allowed: { method: 'PUT', url: '/v1/models' },
  not_acceptable: json({ text: 'a' }, { accept: 'image/png' }),
  body_too_large: json({ text: 'a'.repeat(1000) }),
  response_too_large: json({ text: 'one two three '.repeat(60), context_length: 100, stride: 1 }),
  unsupported_media_type: json('a', { 'content-type': 'text/csv' }),
  context_too_long: json({ text: 'a', context_length: 2000 }),
  no_windows: json({ text: 'a', context_length: 4 }),
  batch_out_of_range: json({ input_ids: [1, 2, 3], context_length: 1, batch_size: 1, batch_index: 2 }),
  token_out_of_range: json({ input_ids: [50_000] }),
  unsupported_combination: json({ text: 'a', outputs: ['cos'] }),
  internal: { method: 'POST', url: '/v1/detokenize', payload: { input_ids: [13] } },
}

/** Errors that need a service in another state, or a socket: each has a separate test, below or where it says. */
const ELSEWHERE: ErrorCode[] = [
  'loading',
  'stopping',
  'not_live', // test/service/process/liveness.test.ts
  'unauthorized', // test/service/request/checks/keys.test.ts
  'request_timeout', // test/service/http/transport.test.ts
  'headers_too_large',
  'not_implemented', // test/features/open-inference/models.test.ts
  'overloaded', // test/service/process/connections
  'deadline_exceeded', // test/service/request/deadlines.test.ts
  'tokenizer_unavailable', // test/features/neighbors/neighbors.test.ts
  'tables_unavailable', // test/features/models/tokens-only.test.ts
  'template_unavailable', // test/features/chat/render.test.ts
  'template_unsupported',
  'template_failed',
  'chat_refused', // test/features/chat/masks.test.ts
  'admin_disabled', // test/features/models, with all that follow
  'forbidden',
  'model_exists',
  'model_in_use',
  'precondition_failed',
  'shape_mismatch',
  'model_failed',
  'model_loading',
  'insufficient_memory',
  'not_finite', // test/features/learning/http
  'optimizer_exists', // test/features/learning/http, with all that follow
  'optimizer_not_found',
  'nothing_pending',
  'idempotency_key_reused',
  'dataset_not_found', // test/features/datasets/http, with all that follow
  'recipe_mismatch',
  'range_not_satisfiable',
  'encoding_mismatch',
  'insufficient_storage',
  'dataset_indexing', // test/datasets/keeper
]

test('every code of the table is reached here', () => {
  expect([...Object.keys(WAYS), ...ELSEWHERE].sort()).toEqual(Object.keys(ERRORS).sort())
})

const FORM = { type: expect.stringMatching(/^\w+_error$/), message: expect.stringMatching(/./) }

describe.each(Object.entries(WAYS))('%s', (code, call) => {
  test('has its status and the one form', async () => {
    const answer = await service.app.inject(call)
    expect(answer.json()).toEqual({ error: { ...FORM, code, param: answer.json().error.param } })
    expect(answer.statusCode).toBe(ERRORS[code as ErrorCode][0])
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['x-request-id']).toMatch(/./)
  })
})

test('loading, until the tables are there', async () => {
  const tokenizerOf = ownTokenizers()
  const models = new Models({
    bind: bindIn(0, tokenizerOf),
    tokenizerOf,
    admin: service.models.admin,
    defaultModel: 'default',
    backend: () => undefined,
    isStarting: () => true,
  })
  await models.put(unloaded(environmentCard(readConfig({})), 'environment'))
  const app = await buildApp(readConfig({}), { logger: pino({ level: 'silent' }), models })
  const unread = '/v1/models/in-a-folder' // whose folder has not been read yet
  for (const url of ['/v1/models/default/position-embeddings?context_length=1', '/health/ready', unread]) {
    const answer = await app.inject(url)
    expect(answer.statusCode, url).toBe(503)
    expect(answer.headers['retry-after']).toBe('1')
    expect(answer.json().error).toEqual({ ...FORM, code: 'loading', param: null })
  }
  const posted = await app.inject({ ...EMBED, payload: { text: 'a' } })
  expect(posted.json().error.code).toBe('loading')
  // Requests that need no table are answered.
  const counted = await app.inject({ method: 'POST', url: '/v1/tokenize', payload: { text: 'a' } })
  expect(counted.json().input_ids).toEqual([64])
  expect((await app.inject('/v1/models')).json().data[0].state).toBe('unloaded')
  expect((await app.inject('/health/live')).statusCode).toBe(200)
  expect((await app.inject('/metrics')).body).toContain('inlet_table_bytes{model="default"} 0')
  await app.close()
})

test('stopping, from the routes of health alone', async () => {
  const liveness = Liveness.first()
  const logger = pino({ level: 'silent' })
  const app = await buildApp(readConfig({}), { logger, liveness, models: service.models })
  const asks = async (url: string) => {
    const answer = await app.inject(url)
    return [answer.statusCode, answer.json().status ?? answer.json().error, answer.headers['retry-after']]
  }
  expect(await asks('/health/ready')).toEqual([200, 'ready', undefined])
  liveness.stop()
  expect(await asks('/health/ready')).toEqual([503, { ...FORM, code: 'stopping', param: null }, '1'])
  expect(await asks('/health/live')).toEqual([200, 'live', undefined])
  expect((await app.inject('/v1/models')).statusCode).toBe(200)
  await app.close()
})
