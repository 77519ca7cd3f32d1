import { describe, expect, it } from 'vitest'
import { widened } from '../../clients/typescript/src/widen.js'

const ALL = Uint16Array.from({ length: 65536 }, (_, bits) => bits)

/** A float of one sign bit and `fractionBits` of fraction in 16 bits, by its definition. */
function floatOf(bits: number, fractionBits: number): number {
  const exponentBits = 15 - fractionBits
  const sign = bits >> 15 ? -1 : 1
  const exponent = (bits >> fractionBits) & (2 ** exponentBits - 1)
  const fraction = (bits & (2 ** fractionBits - 1)) / 2 ** fractionBits
  const bias = 2 ** (exponentBits - 1) - 1
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Infinity : Number.NaN
  return exponent === 0 ? sign * fraction * 2 ** (1 - bias) : sign * (1 + fraction) * 2 ** (exponent - bias)
}

describe('the TypeScript client widens', () => {
  it.each([
    ['float16', 10],
    ['bfloat16', 7],
  ] as const)('every %s to the float32 of the same value', (dtype, fractionBits) => {
    const wanted = Float32Array.from(ALL, (bits) => floatOf(bits, fractionBits))
    const given = widened({ dtype, data: ALL })
    expect(given.findIndex((value, i) => !Object.is(value, wanted[i]))).toBe(-1)
  })

  it('float32 to itself, without a copy', () => {
    const data = Float32Array.of(1, 2)
    expect(widened({ dtype: 'float32', data })).toBe(data)
  })
})
