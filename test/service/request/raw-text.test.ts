import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embed, listen, type TestAnswer, type TestService, testService } from '../../helper.js'

const RAW = { accept: 'application/octet-stream' }
const TEXT = 'Hello <|endoftext|> wörld, 日本語 and 🕶️ in one text.\n'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService({ MAX_BODY_BYTES: '4194304' })
  port = await listen(service)
})
afterAll(() => service.close())

interface RawCall {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function embedRaw(
  body: string | Uint8Array | Readable,
  { query = '', headers = {} }: RawCall = {},
): Promise<TestAnswer> {
  const response = await service.app.inject({
    method: 'POST',
    url: `/v1/input-embeddings${query === '' ? '' : `?${query}`}`,
    headers: { 'content-type': 'text/plain', ...headers },
    payload: body instanceof Readable || typeof body === 'string' ? body : Buffer.from(body),
  })
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    body: response.rawPayload,
    json: () => response.json(),
  }
}

/** Fields as a query: `{ a: { type: 'b', c: 1 }, d: [2, 3] }` → `a=b&a.c=1&d=2%2C3`. */
function queryOf(fields: object, prefix = ''): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const isNested = typeof value === 'object' && !Array.isArray(value)
    if (isNested) return queryOf(value, `${prefix}${name}.`)
    // The type of a field's object is the field itself; that of an object within it is not.
    const path = name === 'type' && prefix.split('.').length === 2 ? prefix.slice(0, -1) : prefix + name
    return `${path}=${encodeURIComponent(String(value))}`
  })
  return parts.join('&')
}

/** Sends chunks over a socket, each in a separate write, and waits for the answer. */
function upload(
  chunks: Iterable<Uint8Array>,
  query: string,
  headers: Readonly<Record<string, string>> = RAW,
): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        port,
        method: 'POST',
        path: `/v1/input-embeddings?${query}`,
        headers: { 'content-type': 'text/plain', ...headers },
      },
      async (response) => {
        const parts: Buffer[] = []
        for await (const part of response) parts.push(part)
        resolve({ status: response.statusCode as number, body: Buffer.concat(parts) })
      },
    )
    outgoing.on('error', reject)
    Readable.from(chunks, { objectMode: true, highWaterMark: 1 }).pipe(outgoing)
  })
}

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

describe('a text/plain body', () => {
  test.each<object>([
    {},
    { context_length: 4, stride: 2, outputs: ['input_ids', 'target_ids'] },
    { context_length: 4, allowed_special: 'all' },
    {
      context_length: 2,
      stride: 1,
      batch_size: 2,
      batch_index: 1,
      shuffle: true,
      seed: '18446744073709551615',
    },
    { encoding_format: 'base64', position_offset: 5 },
    { position_embedding: { type: 'rope', head_dim: 8, scaling: { type: 'linear', factor: 2.5 } } },
    { position_embedding: 'none', architecture: 'llama', shuffle: false },
  ])('answers as JSON does: %j', async (fields) => {
    const asText = await embedRaw(TEXT, { query: queryOf(fields) })
    const asJson = await embed(service, { text: TEXT, ...fields })
    expect(asJson.status).toBe(200)
    expect(asText.status).toBe(200)
    expect(asText.body.equals(asJson.body)).toBe(true)
  })

  test.each(['utf-8', '"UTF-8"'])('may name its charset: %s', async (charset) => {
    const { status } = await embedRaw(TEXT, { headers: { 'content-type': `text/plain; charset=${charset}` } })
    expect(status).toBe(200)
  })

  test('keeps a byte order mark as text', async () => {
    const outputs = { outputs: ['input_ids'] }
    const asText = await embedRaw('\ufeffa', { query: 'outputs=input_ids' })
    expect(asText.json()).toEqual((await embed(service, { text: '\ufeffa', ...outputs })).json())
    expect(asText.json().num_tokens).toBeGreaterThan(1)
  })

  test.each([1, 2, 3, 5, 7])(
    'is the same in pieces of %i bytes, cut in characters and special tokens',
    async (size) => {
      const whole = await upload([Buffer.from(TEXT)], 'outputs=input_ids')
      const pieces = await upload(cut(Buffer.from(TEXT), size), 'outputs=input_ids')
      expect(pieces.status).toBe(200)
      expect(pieces.body.equals(whole.body)).toBe(true)
    },
  )

  test('of 2 MB is the same in 1 KB and 64 KB chunks', async () => {
    const book = Buffer.from(TEXT.repeat(Math.ceil(2_000_000 / Buffer.byteLength(TEXT))))
    const query = 'outputs=input_ids&context_length=64&tail=pad'
    const large = await upload(cut(book, 65_536), query)
    const small = await upload(cut(book, 1024), query)
    expect(large.status).toBe(200)
    expect(small.body.equals(large.body)).toBe(true)
  })
})

describe('a text/plain request is refused', () => {
  test.each([
    ['foo=1', '`foo` is not a field of this request.'],
    ['text=abc', '`text` is not a field of this request.'],
    ['input_ids=1,2', '`input_ids` is not a field of this request.'],
    ['token_type_ids=1', '`token_type_ids` is not a field of this request.'],
    ['context_length=4&context_length=5', '`context_length` must be given once. Given: "4", "5"'],
    ['context_length=4.0', '`context_length` must be an integer. Given: "4.0"'],
    ['context_length=0', '`context_length` must be at least 1. Given: 0'],
    [
      'position_offset=9007199254740992',
      '`position_offset` must be an integer within ±(2^53 − 1). Given: 9007199254740992',
    ],
    ['shuffle=1', '`shuffle` must be true or false. Given: "1"'],
    ['shuffle=true', '`seed` is needed where `shuffle` is true. Given: nothing'],
    ['stride=4', '`stride` must not be given without `context_length`. Given: 4'],
    ['tail=crop&context_length=4', '`tail` must be one of "drop", "pad". Given: "crop"'],
    ['outputs=', '`outputs` must have at least 1 elements. Given: an empty array'],
    ['outputs=input_ids,', '`outputs.1` '],
    ['outputs=input_ids,input_ids', '`outputs` must not name "input_ids" twice. Given: an array of 2'],
    ['allowed_special=%3C%7Cfoo%7C%3E', '`allowed_special.0` '],
    ['position_embedding=rop', '`position_embedding.type` '],
    ['context_length=%ff', 'The query string must be percent-encoded UTF-8. Given: "%ff"'],
  ])('with 400 for the query %s', async (query, message) => {
    const { status, json } = await embedRaw(TEXT, { query })
    const param = /^`([^`]+)`/.exec(message)?.[1] ?? null
    expect(json().error).toMatchObject({ code: 'invalid_request', param })
    expect(json().error.message.slice(0, message.length)).toBe(message)
    expect(status).toBe(400)
  })

  test.each([
    [{ query: 'model=gpt5' }, 404, 'model_not_found', 'model'],
    [{ query: 'context_length=1025' }, 422, 'context_too_long', 'context_length'],
    [{ query: 'outputs=cos' }, 422, 'unsupported_combination', 'outputs'],
    [
      { query: 'dtype=bfloat16&outputs=input_embeddings', headers: { accept: 'application/x-npy' } },
      422,
      'unsupported_combination',
      'dtype',
    ],
    [
      { headers: { 'content-type': 'text/plain; charset=latin1' } },
      415,
      'unsupported_media_type',
      'content-type',
    ],
    [{ headers: { 'content-type': 'text/html' } }, 415, 'unsupported_media_type', 'content-type'],
    [{ headers: { accept: 'image/png' } }, 406, 'not_acceptable', 'accept'],
  ] as const)('before a byte of its body is read: %j', async (call, status, code, param) => {
    const body = new Readable({
      read() {
        if (hasAnswer) this.push(null)
      },
      highWaterMark: 0,
    })
    let hasAnswer = false
    const answer = await embedRaw(body, call)
    expect(answer.json().error).toMatchObject({ code, param })
    hasAnswer = true
    expect(answer.status).toBe(status)
  })

  test('where it is empty', async () => {
    const { status, json } = await embedRaw('')
    expect(json().error).toMatchObject({ code: 'empty_input', param: 'text' })
    expect(status).toBe(400)
  })

  test.each([
    ['a lone continuation', [0x61, 0x80], 1],
    ['an overlong sequence', [0x61, 0x62, 0xc0, 0xaf], 2],
    ['an encoded surrogate', [0xed, 0xa0, 0x80], 0],
    ['a cut sequence at the end', [0x61, 0xf0, 0x9f, 0x95], 1],
    ['a sequence cut by another', [0xc3, 0xc3, 0xb6], 0],
  ])('where it is not UTF-8: %s, whatever the chunks', async (_, bytes, offset) => {
    const prefix = Buffer.from('日本語 '.repeat(20_000))
    const text = Buffer.concat([prefix, Buffer.from(bytes)])
    for (const size of [1000, text.length]) {
      const { status, body } = await upload(cut(text, size), 'outputs=input_ids')
      expect(JSON.parse(body.toString()).error).toEqual({
        type: 'invalid_request_error',
        code: 'invalid_unicode',
        message: `\`text\` must be UTF-8: byte ${prefix.length + offset} of the body is not.`,
        param: 'text',
      })
      expect(status).toBe(400)
    }
  })

  test('beside query fields of a JSON body', async () => {
    const response = await service.app.inject({
      method: 'POST',
      url: '/v1/input-embeddings?context_length=4',
      payload: { text: 'a' },
    })
    expect(response.json().error).toMatchObject({ code: 'invalid_request', param: 'context_length' })
  })
})
