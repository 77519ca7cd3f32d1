import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FileReader, readHeader } from '../../../src/service/request/body/file-reader.js'
import { UNBOUNDED } from '../../counting-claim.js'
import { checkProperty } from '../../property.js'

async function* arriving(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* chunks
}

test('whatever the chunks, every read gets its bytes, and the digest is the file’s', async () => {
  const chunkLists = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })
  const lengths = fc.array(fc.nat(50), { maxLength: 20 })
  await checkProperty(
    fc.asyncProperty(chunkLists, lengths, async (chunks, reads) => {
      const whole = Buffer.concat(chunks)
      const file = new FileReader(arriving(chunks), UNBOUNDED)
      let at = 0
      for (const length of [...reads, whole.length]) {
        const target = Buffer.alloc(length)
        const filled = await file.fill(target)
        expect(target.subarray(0, filled)).toEqual(whole.subarray(at, at + length))
        at += filled
      }
      expect(await file.isAtEnd()).toBe(true)
      expect(file.digest()).toBe(createHash('sha256').update(whole).digest('hex'))
    }),
    300,
  )
})

test('a header that ends early says how many bytes are missing', async () => {
  async function* early() {
    const announced = Buffer.alloc(8)
    announced.writeBigUInt64LE(60_000n)
    yield announced
    yield Buffer.alloc(5000, ' ')
  }
  await expect(readHeader(new FileReader(early(), UNBOUNDED), UNBOUNDED)).rejects.toMatchObject({
    message: expect.stringContaining('The last 55000 bytes of the header are missing.'),
  })
})
