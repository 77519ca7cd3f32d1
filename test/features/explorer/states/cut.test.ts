import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAt, cutToFit } from '../../../../src/features/explorer/page/failures.js'
import { checkProperty } from '../../../property.js'

const fieldsOf = (text: string) => ({ text })
const sizeOf = (text: string) => Buffer.byteLength(JSON.stringify(fieldsOf(text)))

describe('a text cut at the limit', () => {
  it('is a beginning of it that fits, without half a character', async () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '"', '\n', '\u0001', 'é', '漢', '🐈'),
      maxLength: 400,
    })
    await checkProperty(
      fc.property(texts, fc.integer({ min: 11, max: 300 }), (text, limit) => {
        const cut = cutToFit(text, limit, fieldsOf)
        expect(text.startsWith(cut)).toBe(true)
        expect(sizeOf(cut)).toBeLessThanOrEqual(limit)
        expect(cut.isWellFormed()).toBe(true)
        if (sizeOf(text) <= limit) expect(cut).toBe(text)
      }),
      300,
    )
  })

  it('keeps most of what fits', () => {
    expect(sizeOf(cutToFit('naïve 🐈 '.repeat(2000), 9000, fieldsOf))).toBeGreaterThan(8800)
  })

  it('stops before a pair that it would part', () => {
    expect(cutAt('a🐈b', 2)).toBe('a')
    expect(cutAt('a🐈b', 3)).toBe('a🐈')
    expect(cutAt('abc', 2)).toBe('ab')
  })
})
