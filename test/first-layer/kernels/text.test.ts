import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  instantiateTextKernels,
  MAX_FLOAT_TEXT_BYTES,
  MAX_INT32_TEXT_BYTES,
} from '../../../src/first-layer/kernels/text-kernels.js'
import { shortestText } from '../../twins/shortest-text.js'

const COUNT = 1 << 12
const kernels = instantiateTextKernels()
const input = kernels.reserve(4 * COUNT)
const out = kernels.reserve(MAX_FLOAT_TEXT_BYTES * COUNT)

const bytesAt = (pointer: number, length: number) => new Uint8Array(kernels.memory.buffer, pointer, length)
const floatsAt = (pointer: number, length: number) => new Float32Array(kernels.memory.buffer, pointer, length)
const intsAt = (pointer: number, length: number) => new Int32Array(kernels.memory.buffer, pointer, length)

function text(length: number): string {
  return Buffer.from(bytesAt(out, length)).toString('latin1')
}

function floatText(values: ArrayLike<number>): string {
  floatsAt(input, values.length).set(values)
  return text(kernels.floatRowsToText(out, input, 1, values.length))
}

function bitText(bits: ArrayLike<number>): string {
  intsAt(input, bits.length).set(bits)
  return text(kernels.floatRowsToText(out, input, 1, bits.length))
}

/** Float32 values by their bits, in batches. */
function expectTwin(bits: readonly number[]): void {
  for (let start = 0; start < bits.length; start += COUNT) {
    const part = Int32Array.from(bits.slice(start, start + COUNT))
    const values = [...new Float32Array(part.buffer)]
    const found = bitText(part)
    if (found !== values.map(shortestText).join(','))
      expect(found.split(',')).toEqual(values.map(shortestText))
  }
}

const bitsOf = (value: number) => new Int32Array(Float32Array.of(value).buffer)[0]!
const neighbours = (value: number) => [-2, -1, 0, 1, 2].map((step) => bitsOf(value) + step)

describe('floats as text', () => {
  test('look as JavaScript prints numbers', () => {
    expect(
      floatText([0.5, 1, -1, 0.1, 123456.79, 1e-6, 1e-7, 1e20, 1e21, 16777216, 3.4028235e38, 1e-45]),
    ).toBe('0.5,1,-1,0.1,123456.79,0.000001,1e-7,100000000000000000000,1e+21,16777216,3.4028235e+38,1e-45')
  })

  test('keep the sign of zero; Infinity and NaN are strings', () => {
    expect(floatText([0, -0, 1 / 0, -1 / 0, Number.NaN])).toBe('0,-0,"Infinity","-Infinity","NaN"')
    expect(bitText([0x7fc00000, 0xffc00001 | 0, 0x7f800001])).toBe('"NaN","NaN","NaN"')
  })

  test('take no bytes for no numbers', () => {
    expect(kernels.floatRowsToText(out, input, 1, 0)).toBe(0)
    expect(kernels.int32RowsToText(out, input, 1, 0)).toBe(0)
  })

  test('are the shortest for each power of two and its neighbours, subnormals too', () => {
    const bits: number[] = []
    for (let exponent = -149; exponent < 128; exponent++) bits.push(...neighbours(2 ** exponent))
    expectTwin(bits.filter((bit) => bit >= 0))
  })

  test('are the shortest around powers of ten and their multiples', () => {
    const bits: number[] = []
    for (let exponent = -45; exponent <= 38; exponent++) {
      for (let digit = 1; digit < 10; digit++) bits.push(...neighbours(Number(`${digit}e${exponent}`)))
    }
    expectTwin(bits.filter((bit) => bit >= 0))
  })

  test('are exact for integers and for hundredths', () => {
    expectTwin(Array.from({ length: 5_000 }, (_, i) => bitsOf(3 * i)))
    expectTwin(Array.from({ length: 5_000 }, (_, i) => bitsOf(2 ** 24 - 2_500 + i)))
    expectTwin(Array.from({ length: 5_000 }, (_, i) => bitsOf((3 * i) / 100)))
  })

  test('are the shortest for values spread over all bit patterns', () => {
    const bits: number[] = []
    for (let bit = 0; bit < 2 ** 32; bit += 600_011) bits.push(bit | 0)
    expectTwin(bits)
  })

  test('are the shortest for any bit pattern', () => {
    fc.assert(fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 200 }), expectTwin), {
      numRuns: 200,
    })
  })

  test('stay within the bytes a number may take', () => {
    const longest = Int32Array.from({ length: 64 }, () => bitsOf(-1.2345679e20))
    bytesAt(out, MAX_FLOAT_TEXT_BYTES * COUNT).fill(1)
    bitText(longest)
    expect(bytesAt(out + MAX_FLOAT_TEXT_BYTES * 64, 64).every((byte) => byte === 1)).toBe(true)
    for (const value of [-1.2345679e-38, -1.2345679e-6, -Infinity, -1.2345679e9, Number.NaN]) {
      bytesAt(out, 64).fill(1)
      expect(floatText([value])).toBe(shortestText(Math.fround(value)))
      expect(bytesAt(out + MAX_FLOAT_TEXT_BYTES, 40).every((byte) => byte === 1)).toBe(true)
    }
  })
})

describe('int32s as text', () => {
  const intText = (values: number[]) => {
    intsAt(input, values.length).set(values)
    return text(kernels.int32RowsToText(out, input, 1, values.length))
  }

  test('equal JavaScript’s decimals at every number of digits', () => {
    const values = [0, -2147483648, 2147483647]
    for (let power = 1; power < 2 ** 31; power *= 10)
      values.push(power - 1, power, power + 1, -power, 1 - power)
    expect(intText(values)).toBe(values.map((value) => value || 0).join(','))
  })

  test('equal JavaScript’s decimals for any numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { minLength: 1 }), (values) => {
        expect(intText(values)).toBe(values.join(','))
      }),
    )
  })

  test('stay within the bytes a number may take', () => {
    for (const value of [0, 7, 50256, -2147483648, 99999999, -100000000]) {
      bytesAt(out, 64).fill(1)
      expect(intText([value])).toBe(String(value))
      expect(bytesAt(out + MAX_INT32_TEXT_BYTES, 40).every((byte) => byte === 1)).toBe(true)
    }
  })
})
