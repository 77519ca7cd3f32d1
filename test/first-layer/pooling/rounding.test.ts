import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bfloat16TiesAway } from '../../../src/first-layer/pooling/arithmetic.js'
import { rounded, widened } from '../../../src/first-layer/tensors/sixteen-bits.js'
import { checkProperty } from '../../property.js'

/** Every finite number of a 16-bit type, ascending. */
const NUMBERS = {
  float16: allOf('float16'),
  bfloat16: allOf('bfloat16'),
}

function allOf(dtype: 'float16' | 'bfloat16'): Float32Array {
  const bits = Uint16Array.from({ length: 65_536 }, (_, i) => i)
  return widened(bits, dtype).filter(Number.isFinite).sort()
}

describe.each(['float16', 'bfloat16'] as const)('%s', (dtype) => {
  const numbers = NUMBERS[dtype]

  test('rounds to the nearest number that there is', async () => {
    const places = fc.integer({ min: 0, max: numbers.length - 2 })
    const shares = fc.double({ min: 0, max: 1, noNaN: true })
    const nearest = fc.property(places, shares, (i, share) => {
      const [low, high] = [numbers[i], numbers[i + 1]]
      const value = low + share * (high - low)
      fc.pre(value - low !== high - value)
      expect(rounded(value, dtype) + 0).toBe((value - low < high - value ? low : high) + 0)
    })
    await checkProperty(nearest, 1000)
  })

  test('rounds a tie to the even one, once', () => {
    const [even, odd, next] = widened(Uint16Array.of(0x3c02, 0x3c03, 0x3c04), dtype)
    const [low, high] = [(even + odd) / 2, (odd + next) / 2]
    expect([rounded(low, dtype), rounded(high, dtype), rounded(-low, dtype)]).toEqual([even, next, -even])
    expect([rounded(low * (1 - 2 ** -50), dtype), rounded(low * (1 + 2 ** -50), dtype)]).toEqual([even, odd])
  })

  test('numbers of the narrow type stay, and too large ones are infinite', () => {
    expect(numbers.every((number) => Object.is(rounded(number, dtype), number))).toBe(true)
    expect(rounded(-numbers.at(-1)! * 1.01, dtype)).toBe(Number.NEGATIVE_INFINITY)
    expect(rounded(Number.NaN, dtype)).toBeNaN()
  })
})

test('FBGEMM rounds ties to bfloat16 away from zero', () => {
  expect([257, -257, 259, 256.9, 3].map(bfloat16TiesAway)).toEqual([258, -258, 260, 256, 3])
  expect(bfloat16TiesAway(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
  expect(bfloat16TiesAway(Number.NaN)).toBeNaN()
})
