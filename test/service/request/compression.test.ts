import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embed, type TestService, testService } from '../../helper.js'

const LIMIT = 100_000
const PACK = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  GZIP: gzipSync,
} as const

const TEXT = 'A packed text, with ünïcode and 日本語. '.repeat(50)
const BODY = JSON.stringify({ text: TEXT, context_length: 4 })
const QUERY = '?context_length=4'

let service: TestService
beforeAll(async () => {
  service = await testService({ MAX_BODY_BYTES: String(LIMIT), MAX_JSON_BODY_BYTES: String(LIMIT) })
})
afterAll(() => service.close())

function send(type: string, coding: string | undefined, payload: Buffer | string) {
  const query = type === 'text/plain' ? QUERY : ''
  return service.app.inject({
    method: 'POST',
    url: `/v1/input-embeddings${query}`,
    headers: { 'content-type': type, ...(coding === undefined ? {} : { 'content-encoding': coding }) },
    payload,
  })
}

const TYPES = [
  { type: 'application/json', plain: BODY, limited: (n: number) => JSON.stringify('x'.repeat(n - 2)) },
  { type: 'text/plain', plain: TEXT, limited: (n: number) => 'x'.repeat(n) },
]

const ZEROS = Buffer.alloc(256 * 1024 * 1024)
const BOMBS = [
  ['gzip', gzipSync(ZEROS)],
  ['br', brotliCompressSync(ZEROS, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
] as const

describe.each(TYPES)('a packed $type body', ({ type, plain, limited }) => {
  test.each(Object.entries(PACK))('says the same under %s', async (coding, pack) => {
    const answer = await send(type, coding, pack(Buffer.from(plain)))
    expect(answer.statusCode).toBe(200)
    const expected = await embed(service, BODY)
    expect(answer.rawPayload.equals(expected.body)).toBe(true)
  })

  test.each(['identity', 'Identity', undefined])('may be as it is: %s', async (coding) => {
    expect((await send(type, coding, plain)).statusCode).toBe(200)
  })

  test('of several gzip members is one text', async () => {
    const bytes = Buffer.from(plain)
    const members = Buffer.concat([gzipSync(bytes.subarray(0, 11)), gzipSync(bytes.subarray(11))])
    const answer = await send(type, 'gzip', members)
    expect(answer.rawPayload.equals((await embed(service, BODY)).body)).toBe(true)
  })

  test.each(['zstd', 'compress', 'gzip, br', 'identity, gzip', 'gzip;q=1'])(
    'is 415 as %s',
    async (coding) => {
      const answer = await send(type, coding, plain)
      expect(answer.json().error).toMatchObject({
        code: 'unsupported_media_type',
        param: 'content-encoding',
        message: `\`Content-Encoding\` must be one of identity, gzip, br, deflate. Given: ${JSON.stringify(coding)}`,
      })
      expect(answer.statusCode).toBe(415)
      expect(answer.headers['accept-encoding']).toBe('gzip, br, deflate')
    },
  )

  test.each(Object.entries(PACK))('that does not unpack is 400: %s', async (coding, pack) => {
    const packed = pack(Buffer.from(plain))
    const flipped = Buffer.from(packed)
    flipped[packed.length >> 1] ^= 0xff
    const broken: Record<string, Buffer> = {
      'plain bytes': Buffer.from(plain),
      'nothing at all': Buffer.alloc(0),
      'an early end': packed.subarray(0, -1),
      'bytes after the end': Buffer.concat([packed, Buffer.from('xyz')]),
      'zeros after the end': Buffer.concat([packed, Buffer.alloc(3)]),
      // Brotli has no checksum: a flipped bit may unpack to another text.
      ...(coding === 'br' ? {} : { 'a flipped byte': flipped }),
    }
    for (const [what, bytes] of Object.entries(broken)) {
      const answer = await send(type, coding, bytes)
      expect(answer.json().error, what).toMatchObject({
        type: 'invalid_request_error',
        code: 'invalid_encoding',
        param: 'content-encoding',
      })
      expect(answer.statusCode).toBe(400)
    }
  })

  test.each([...Object.entries(PACK), [undefined, (bytes: Buffer) => bytes] as const])(
    'is counted unpacked: %s',
    async (coding, pack) => {
      const most = await send(type, coding, pack(Buffer.from(limited(LIMIT))))
      expect(most.json().error?.code).not.toBe('body_too_large') // it is wrong in other ways
      const over = await send(type, coding, pack(Buffer.from(limited(LIMIT + 1))))
      expect(over.json().error).toMatchObject({ code: 'body_too_large', param: null })
      expect(over.json().error.message).toContain(`at most ${LIMIT} bytes`)
      expect(over.statusCode).toBe(413)
    },
  )

  test.each(BOMBS)('that would be a thousand times larger costs little: %s', async (coding, bomb) => {
    const before = process.memoryUsage.rss()
    const answer = await send(type, coding, bomb)
    expect(answer.json().error).toMatchObject({ code: 'body_too_large' })
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
  })
})

test('a Brotli body holds what it has unpacked, up to its window of 16 MiB: with less room in all it is refused', async () => {
  const small = await testService({ MAX_BYTES_IN_FLIGHT: String(16 * 1024 * 1024) })
  const answer = (body: string | Buffer) =>
    small.app.inject({
      method: 'POST',
      url: '/v1/input-embeddings?context_length=1024&outputs=window_starts',
      headers: { 'content-type': 'text/plain', 'content-encoding': 'br' },
      payload: brotliCompressSync(body),
    })
  try {
    expect((await answer('a '.repeat(2000))).statusCode).toBe(200)
    const refused = await answer('           '.repeat(1_500_000))
    expect(refused.statusCode).toBe(400)
    expect(refused.json().error.message).toMatch(/of MAX_BYTES_IN_FLIGHT. It would hold 1[45]\d{6}$/)
  } finally {
    await small.close()
  }
})
