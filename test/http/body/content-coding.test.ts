import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contentCoding, unpacked } from '../../../src/http/body/content-coding.js'
import { ClientGone } from '../../../src/load/client-gone.js'
import { CountingClaim } from '../../counting-claim.js'
import { type TestService, testService } from '../../helper.js'

const MIB = 1 << 20
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const CODINGS = [
  ['br', (bytes: Buffer) => brotliCompressSync(bytes, fast)],
  ['gzip', gzipSync],
  ['deflate', deflateSync],
] as const

/** A claim whose request can be ended from outside. */
class EndingClaim extends CountingClaim {
  end: (error: Error) => void = () => {}

  override onAbort(act?: (error: Error) => void): () => void {
    this.end = (error) => act?.(error)
    return () => {
      this.end = () => {}
    }
  }
}

async function* inParts(bytes: Buffer, size = 100): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Bytes that do not shrink to nothing. */
function words(bytes: number): Buffer {
  let seed = 1
  return Buffer.from(
    Array.from({ length: bytes }, () => {
      seed = (seed * 48_271) % 2_147_483_647
      return 97 + (seed % 4)
    }),
  )
}

const text = words(3 * MIB)

test('a coding is one of those that can be unpacked, whatever its case', () => {
  const named = [undefined, '', ' ', 'identity', 'IDENTITY', ' gzip ', 'GZIP', 'x-gzip', 'br', 'deflate']
  const none = [undefined, undefined, undefined, undefined, undefined]
  expect(named.map(contentCoding)).toEqual([...none, 'gzip', 'gzip', 'x-gzip', 'br', 'deflate'])
})

test.each(['zstd', 'compress', 'gzip, br', 'gzip,gzip', 'constructor', '__proto__', 'identity, gzip'])(
  'Content-Encoding: %s is refused with the codings that can be had',
  (header) => {
    const error = expect.objectContaining({
      code: 'unsupported_media_type',
      param: 'content-encoding',
      headers: { 'accept-encoding': 'gzip, br, deflate' },
    })
    expect(() => contentCoding(header)).toThrow(error)
  },
)

describe.each(CODINGS)('unpacking %s', (coding, pack) => {
  const packed = pack(text)

  test('holds what it needs while it lasts', async () => {
    const claim = new CountingClaim()
    let most = 0
    const chunks: Uint8Array[] = []
    for await (const chunk of unpacked(inParts(packed, 10_000), coding, claim)) {
      chunks.push(Buffer.from(chunk))
      most = Math.max(most, claim.taken)
    }
    expect(Buffer.concat(chunks).equals(text)).toBe(true)
    expect(most).toBeGreaterThanOrEqual(3 * MIB)
    expect(claim.taken).toBe(0)
  })

  test('gives back what it holds when its reader stops', async () => {
    const claim = new CountingClaim()
    for await (const _ of unpacked(inParts(packed, 10_000), coding, claim)) break
    expect(claim.taken).toBe(0)
  })

  test('ends with its request, wherever it is', async () => {
    const claim = new EndingClaim()
    const chunks = unpacked(inParts(packed, 10_000), coding, claim)
    await chunks.next()
    claim.end(new ClientGone())
    await expect(
      (async () => {
        for await (const _ of chunks);
      })(),
    ).rejects.toThrow(ClientGone)
    expect(claim.taken).toBe(0)
  })

  test('lets a megabyte through, however small it was', async () => {
    let bytes = 0
    for await (const chunk of unpacked(inParts(pack(Buffer.alloc(MIB))), coding, new CountingClaim()))
      bytes += chunk.length
    expect(bytes).toBe(MIB)
  })
})

describe('bytes that hold much more than themselves', () => {
  /** Unpacks 64 MiB of zeros, and counts what comes. */
  async function unpackZeros(coding: string): Promise<{ packed: number; bytes: number; error?: unknown }> {
    const [, pack] = CODINGS.find(([name]) => name === coding)!
    const packed = pack(Buffer.alloc(64 * MIB))
    let bytes = 0
    try {
      for await (const chunk of unpacked(inParts(packed), coding, new CountingClaim())) bytes += chunk.length
      return { packed: packed.length, bytes }
    } catch (error) {
      return { packed: packed.length, bytes, error }
    }
  }

  test('are left off at 1,100 times', async () => {
    const { packed, bytes, error } = await unpackZeros('br')
    expect(error).toMatchObject({
      code: 'invalid_encoding',
      param: 'content-encoding',
      message:
        'The body must be br, as `Content-Encoding` says: it unpacks to more than 1100 times its bytes.',
    })
    expect(bytes).toBeLessThanOrEqual(Math.max(MIB, 1100 * packed))
  })

  test.each(['gzip', 'deflate'])('are not to be had by %s', async (coding) => {
    expect(await unpackZeros(coding)).toMatchObject({ bytes: 64 * MIB })
  })
})

describe('a request whose body unpacks to too much', () => {
  let service: TestService
  beforeAll(async () => {
    service = await testService()
  })
  afterAll(() => service.close())

  test.each([
    ['application/json', ''],
    ['text/plain', '?context_length=4'],
  ])('is 400: %s', async (type, query) => {
    const answer = await service.app.inject({
      method: 'POST',
      url: `/v1/input-embeddings${query}`,
      headers: { 'content-type': type, 'content-encoding': 'br' },
      payload: brotliCompressSync(Buffer.from(`{"input_ids":[${'[0],'.repeat(1 << 20)}[0]]}`), fast),
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toMatchObject({ code: 'invalid_encoding', param: 'content-encoding' })
  })
})
