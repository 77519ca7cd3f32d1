import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { MEDIA_TYPES } from '../../decode.js'
import { post, type TestService, testService } from '../../helper.js'

/** A body of this size is a large one. */
const LARGE = 70_000

let service: TestService
beforeAll(async () => {
  service = await testService({ MAX_DOCUMENTS: '20000' })
})
afterAll(() => service.close())

/** The same JSON twice: as it is, and as a large body. */
async function bothWays(url: string, body: object, headers: Record<string, string> = {}) {
  const json = JSON.stringify(body)
  expect(json.length).toBeLessThan(LARGE)
  const small = await post(service, url, json, headers)
  const large = await post(service, url, `${' '.repeat(LARGE)}${json}`, headers)
  return { small, large }
}

const raw = { accept: MEDIA_TYPES.raw }
const text = 'I had always thought Jack "Gisburn" rather\n a cheap genius 🕶 <|endoftext|> though. '.repeat(40)
const lists = Array.from({ length: 3000 }, (_, i) => Array.from({ length: (i % 3) + 1 }, (_, j) => i * j))

describe('a large body is answered as a small one:', () => {
  test.each([
    ['a text', '/v1/input-embeddings', { text, context_length: 8, stride: 3 }],
    ['lists of ids', '/v1/input-embeddings', { input_ids: lists, outputs: ['input_ids', 'document_ids'] }],
    ['detokenize', '/v1/detokenize', { input_ids: lists.flat(), encoding: 'cl100k_base' }],
  ])('%s', async (_, url, fields) => {
    const body = url.endsWith('embeddings')
      ? { context_length: undefined, position_embedding: 'none', ...fields }
      : fields
    const { small, large } = await bothWays(url, body)
    expect(small.status).toBe(200)
    expect(large.status).toBe(200)
    expect(large.body.equals(small.body)).toBe(true)
  })
})

test.each([
  ['lists', [[1, 2, 3], [4]], 'an array of 2'],
  ['ids', [1, 2, 3, 4], 'an array of 4'],
])('ids that are refused are shown by their number: %s', async (_, input_ids, shown) => {
  const answer = await post(service, '/v1/input-embeddings', { text, input_ids })
  expect(answer.json().error.message).toMatch(`Given: ${shown}`)
})

test('a long text is the same as raw text', async () => {
  const long = text.repeat(80)
  const url = '/v1/input-embeddings?context_length=16&outputs=input_ids'
  const plain = await service.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'text/plain', ...raw },
    payload: long,
  })
  const body = { text: long, context_length: 16, outputs: ['input_ids'] }
  const json = await post(service, '/v1/input-embeddings', body, raw)
  expect(plain.statusCode).toBe(200)
  expect(json.body.equals(plain.rawPayload)).toBe(true)
  const escapes = Array.from({ length: long.length }, (_, i) =>
    long.charCodeAt(i).toString(16).padStart(4, '0'),
  )
  const escaped = `{"text":"\\u${escapes.join('\\u')}","context_length":16,"outputs":["input_ids"]}`
  const answer = await post(service, '/v1/input-embeddings', escaped, raw)
  expect(answer.body.equals(plain.rawPayload)).toBe(true)
})

test('20,000 documents are served, and no more', async () => {
  const ids = (count: number) => ({ input_ids: Array(count).fill([7]), outputs: ['document_ids'] })
  const most = await post(service, '/v1/input-embeddings', ids(20_000), raw)
  expect(most.status).toBe(200)
  expect(new Int32Array(new Uint8Array(most.body).buffer)).toEqual(
    Int32Array.from({ length: 20_000 }, (_, i) => i),
  )
  const more = await post(service, '/v1/input-embeddings', ids(20_001), raw)
  expect(more.json().error).toMatchObject({
    code: 'invalid_request',
    param: 'input_ids',
    message: '`input_ids` must have at most 20000 documents (MAX_DOCUMENTS). Given: 20001',
  })
})

test('large bodies that come together are scanned and parsed in turns of their own', async () => {
  const parse = JSON.parse
  const text = Buffer.prototype.toString
  const turns: number[] = []
  let turn = 0
  let next = setImmediate(function count() {
    turn++
    next = setImmediate(count)
  })
  vi.spyOn(JSON, 'parse').mockImplementation((json, ...rest) => {
    if (json.length > LARGE) turns.push(turn)
    return parse(json, ...rest)
  })
  vi.spyOn(Buffer.prototype, 'toString').mockImplementation(function (this: Buffer, ...how) {
    if (this.length > LARGE) turns.push(turn) // the end of its scan
    return text.apply(this, how)
  })
  const ids = Array<number>(500_000).fill(1)
  const body = JSON.stringify({ input_ids: ids, outputs: ['window_starts'] })
  await Promise.all(Array.from({ length: 4 }, () => post(service, '/v1/input-embeddings', body)))
  vi.restoreAllMocks()
  clearImmediate(next)
  expect(new Set(turns).size).toBe(8)
})
