import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BytePairKernel } from '../../../../src/first-layer/tokens/byte-pair/byte-pair-kernel.js'
import { DocumentStream } from '../../../../src/first-layer/tokens/byte-pair/document-stream.js'
import { Literals } from '../../../../src/first-layer/tokens/byte-pair/literals.js'
import { Segments } from '../../../../src/first-layer/tokens/byte-pair/segments.js'
import { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'

/** The bytes that reach the kernel of texts written one after the other, brought into normal form C. */
function normalizedBytes(texts: readonly string[]): string {
  const parts: Buffer[] = []
  const kernel = {
    run(_: unknown, utf8: Uint8Array) {
      parts.push(Buffer.from(utf8))
      return false
    },
    leave() {},
  } as unknown as BytePairKernel
  const stream = new DocumentStream(new Segments(kernel, { normalizes: true }, undefined), new Literals([]))
  const ids = new TokenBuffer()
  for (const text of texts) {
    stream.write(Buffer.from(text))
    while (stream.advance(ids));
  }
  stream.end()
  while (stream.advance(ids));
  return Buffer.concat(parts).toString()
}

test('a character that waits for the next text is kept when the stream moves its bytes', () => {
  expect(normalizedBytes(['é', 'x'])).toBe('éx')
})

test('texts of any lengths arrive whole, whichever of their characters wait', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', 'e\u0301', '\u0301', '語'), maxLength: 12 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      expect(normalizedBytes(texts)).toBe(texts.join('').normalize('NFC'))
    }),
    { numRuns: 500 },
  )
})
