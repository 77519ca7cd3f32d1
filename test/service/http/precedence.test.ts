import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post, type TestService, testService } from '../../helper.js'
import { LIMITS } from './bad-input.js'

/** A request in parts, so that several rules can be broken at once. */
interface Parts {
  url: string
  method: string
  headers: Record<string, string>
  fields: Record<string, unknown>
  /** The text after the JSON. */
  after: string
}

const good = (): Parts => ({
  url: '/v1/input-embeddings',
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
  fields: { text: 'I had always thought Jack Gisburn rather a cheap genius', outputs: ['document_ids'] },
  after: '',
})

interface Violation {
  readonly code: string
  /** Checked at the same time as others of this rank. */
  readonly rank: number
  break(parts: Parts): void
}

/** In the order in which the contract says they are checked. */
// biome-ignore format: one situation a line
const VIOLATIONS: Violation[] = [
  { code: 'not_found', rank: 0, break: (parts) => (parts.url = '/v1/nothing') },
  { code: 'method_not_allowed', rank: 0, break: (parts) => (parts.method = 'PUT') },
  { code: 'unauthorized', rank: 1, break: ({ headers }) => (headers.authorization = 'Bearer wrong') },
  { code: 'unsupported_media_type', rank: 2, break: ({ headers }) => (headers['content-type'] = 'text/html') },
  { code: 'not_acceptable', rank: 3, break: ({ headers }) => (headers.accept = 'text/html') },
  { code: 'body_too_large', rank: 4, break: (parts) => (parts.after += ' '.repeat(1_000_000)) },
  { code: 'invalid_json', rank: 5, break: (parts) => (parts.after += '}') },
  { code: 'invalid_unicode', rank: 6, break: ({ fields }) => (fields.text += '\ud800') },
  { code: 'invalid_request', rank: 7, break: ({ fields }) => (fields.epoch = -1) },
  { code: 'model_not_found', rank: 8, break: ({ fields }) => (fields.model = 'nope') },
  { code: 'context_too_long', rank: 9, break: ({ fields }) => Object.assign(fields, { context_length: 1025, outputs: ['input_embeddings'] }) },
  {
    code: 'no_windows',
    rank: 10,
    break: ({ fields }) => Object.assign(fields, { batch_size: 1e6, drop_last: true }),
  },
  {
    code: 'response_too_large',
    rank: 11,
    break({ fields }) {
      fields.text = `${'word '.repeat(800)}${fields.text}`
      fields.outputs = ['input_embeddings']
    },
  },
]

/** More that is checked with the schema, and more that is checked with what the model allows. */
const SCHEMA: Violation[] = [
  { code: 'invalid_request outputs.0', rank: 7, break: ({ fields }) => (fields.outputs = ['labels']) },
  {
    code: 'invalid_request outputs',
    rank: 7,
    break({ fields, headers }) {
      fields.outputs = ['input_ids', 'target_ids']
      headers.accept = 'application/x-npy'
    },
  },
  { code: 'invalid_request architecture', rank: 7, break: ({ fields }) => (fields.architecture = 'gpt5') },
  {
    code: 'invalid_request position_embedding.base',
    rank: 7,
    break: ({ fields }) => (fields.position_embedding = { type: 'sinusoidal', base: 'x' }),
  },
]

let service: TestService
beforeAll(async () => {
  service = await testService({ ...LIMITS, API_KEYS: 'test:secret' })
})
afterAll(() => service.close())

async function send(...violations: Violation[]) {
  const parts = good()
  for (const violation of violations) violation.break(parts)
  const { url, method, headers, fields, after } = parts
  const payload = JSON.stringify(fields) + after
  const answer = await service.app.inject({ method: method as 'POST', url, headers, payload })
  return { status: answer.statusCode, error: answer.json().error }
}

test('the request that is broken here is good', async () => {
  const { url, headers, fields } = good()
  expect((await post(service, url, fields, headers)).status).toBe(200)
})

describe.each(VIOLATIONS)('$code', (first) => {
  const later = VIOLATIONS.filter(({ rank }) => rank > first.rank)

  test('answers alone', async () => {
    expect((await send(first)).error.code).toBe(first.code)
  })

  test.each(later)('answers before $code', async (second) => {
    expect((await send(first, second)).error.code).toBe(first.code)
  })

  test('answers before all later ones together', async () => {
    // JSON that does not parse has no wrong fields; this text has both faults.
    expect((await send(first, ...later)).error.code).toBe(first.code)
  })
})

describe.each(SCHEMA)('$code', (first) => {
  const [code, param] = first.code.split(' ')
  test.each(VIOLATIONS.filter(({ rank }) => rank > first.rank && rank < 11))(
    'answers before $code',
    async (second) => {
      expect((await send(second, first)).error).toMatchObject({ code, param })
    },
  )
})

test('an unknown special token answers before what comes after tokenizing', async () => {
  const special: Violation = {
    code: '',
    rank: 7,
    break: ({ fields }) => (fields.allowed_special = ['<|x|>']),
  }
  for (const second of VIOLATIONS.filter(({ rank }) => rank >= 9)) {
    expect((await send(second, special)).error).toMatchObject({ param: 'allowed_special.0' })
  }
})
