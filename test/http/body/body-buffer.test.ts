import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BodyBuffer } from '../../../src/http/body/body-buffer.js'
import { CountingClaim } from '../../counting-claim.js'
import { checkProperty } from '../../property.js'

/** What a buffer holds after these chunks, and what was reserved for it beside `expected`. */
async function take(chunks: readonly Buffer[], expected = 0) {
  const claim = new CountingClaim()
  const buffer = new BodyBuffer(claim, expected)
  for (const chunk of chunks) await buffer.write(chunk)
  return { body: buffer.end(), taken: claim.taken }
}

function cut(text: string, sizes: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text)
  const chunks: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...chunks, bytes.subarray(at)]
}

const text = 'aé日🕶'.repeat(100_000) // 1 MB

describe('a body', () => {
  test('is whole, however it comes', async () => {
    const sizes = fc.array(fc.oneof(fc.nat(10), fc.nat(300_000)), { maxLength: 8 })
    const length = fc.oneof(fc.nat(100), fc.nat(100_000))
    await checkProperty(
      fc.asyncProperty(length, sizes, fc.constantFrom(0, 0.5, 1, 2), async (characters, cuts, part) => {
        const given = [...text.slice(0, characters)].join('').toWellFormed()
        const expected = Math.floor(Buffer.byteLength(given) * part)
        const { body, taken } = await take(cut(given, cuts), expected)
        expect(body.toString() === given).toBe(true)
        expect(taken).toBe(Math.max(0, body.length > expected ? body.length : 0))
      }),
      100,
    )
  })

  test('that is one chunk is that chunk', async () => {
    const chunk = Buffer.from('{"text":"a"}')
    expect((await take([chunk], chunk.length)).body.buffer).toBe(chunk.buffer)
  })

  test('that is nothing is empty', async () => {
    expect((await take([])).body.length).toBe(0)
  })

  test('is reserved in steps as it comes, where it has no Content-Length', () => {
    const claim = new CountingClaim()
    const buffer = new BodyBuffer(claim, 0)
    const seen: number[] = []
    for (let i = 0; i < 5; i++) {
      buffer.write(Buffer.alloc(40_000, 'a'))
      seen.push(claim.taken)
    }
    expect(seen).toEqual([65_536, 131_072, 131_072, 196_608, 262_144])
    buffer.end()
    expect(claim.taken).toBe(200_000)
  })

  test.each([5, 70_000, 400_000])('that is no UTF-8 is refused with its offset: %d', async (offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset, 'a'), Buffer.from([0xff]), Buffer.alloc(100_000, 'a')])
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; at += 30_000) chunks.push(bytes.subarray(at, at + 30_000))
    await expect(take(chunks)).rejects.toThrow(`The body must be UTF-8: byte ${offset} is not.`)
    if (offset < 65_536) return
    const upToIt = chunks.slice(0, Math.floor(offset / 30_000) + 1)
    const buffer = new BodyBuffer(new CountingClaim(), bytes.length)
    const write = async () => {
      for (const chunk of upToIt) await buffer.write(chunk)
    }
    await expect(write(), 'at once').rejects.toThrow(`byte ${offset} `)
  })

  test('that ends within a character is refused', async () => {
    for (const before of [3, 100_000]) {
      const bytes = Buffer.concat([Buffer.alloc(before, 'a'), Buffer.from('🕶').subarray(0, 3)])
      await expect(take([bytes])).rejects.toThrow(`byte ${before} `)
    }
  })
})
