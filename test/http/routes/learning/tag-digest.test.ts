import { createCipheriv } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TagDigest } from '../../../../src/http/routes/learning/tag-digest.js'
import { checkProperty } from '../../../property.js'

function digestOf(chunks: readonly Uint8Array[]): string {
  const digest = new TagDigest()
  for (const chunk of chunks) digest.update(chunk)
  return digest.digest()
}

test('a body has one digest, however its bytes are cut into chunks, and another one where a bit differs', async () => {
  const given = fc.record({
    chunks: fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 12 }),
    bit: fc.nat(),
  })
  await checkProperty(
    fc.property(given, ({ chunks, bit }) => {
      const whole = Buffer.concat(chunks)
      const digest = digestOf(chunks)
      expect(digest).toMatch(/^[\da-f]{32}$/)
      expect(digestOf([whole])).toBe(digest)
      expect(digestOf([whole, Buffer.alloc(1)])).not.toBe(digest) // zeros at the end count
      if (whole.length === 0) return
      const other = Buffer.from(whole)
      other[(bit >> 3) % whole.length]! ^= 1 << (bit & 7)
      expect(digestOf([other])).not.toBe(digest)
    }),
    300,
  )
})

test('it is GMAC, and stays it: numbers in a journal have it', () => {
  const body = Buffer.from('gradients')
  const cipher = createCipheriv('aes-128-gcm', Buffer.from('inlet: gradients'), Buffer.alloc(12))
  cipher.setAAD(body).final()
  expect(digestOf([body])).toBe(cipher.getAuthTag().toString('hex'))
})
