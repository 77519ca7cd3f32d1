import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Convert, instantiateKernels } from '../../../src/first-layer/kernels/kernels.js'
import { ModelMemory } from '../../../src/first-layer/kernels/model-memory.js'
import { instantiateTextKernels } from '../../../src/first-layer/kernels/text-kernels.js'
import { bfloat16Bits, bfloat16Value, float16Bits, float16Value } from '../../twins/sixteen-bits.js'

const COUNT = 1 << 16
const memory = ModelMemory.create(6 * COUNT + 128)
const kernels = instantiateKernels(memory.memory)
const wide = memory.allocate(4 * COUNT)
const narrow = memory.allocate(2 * COUNT)

const textKernels = instantiateTextKernels()
const widened = textKernels.reserve(4 * COUNT)
const stored = textKernels.reserve(2 * COUNT)

/** Numbers of 16 bits as float32, and one element behind them. */
function widen(convert: Convert, bits: ArrayLike<number>): Float32Array {
  const { buffer } = textKernels.memory
  new Uint16Array(buffer, stored, bits.length).set(bits)
  const floats = new Float32Array(buffer, widened, Math.min(COUNT, bits.length + 1)).fill(7)
  convert(widened, stored, bits.length)
  return floats
}

function narrowed(convert: Convert, floatBits: ArrayLike<number>): number[] {
  memory.int32(wide, floatBits.length).set(floatBits)
  convert(narrow, wide, floatBits.length)
  return [...new Uint16Array(memory.memory.buffer, narrow, floatBits.length)]
}

const floats = (bits: ArrayLike<number>) => [...new Float32Array(Int32Array.from(bits).buffer)]

describe.each([
  ['float16', kernels.narrowFloat16, textKernels.widenFloat16, float16Bits, float16Value],
  ['bfloat16', kernels.narrowBfloat16, textKernels.widenBfloat16, bfloat16Bits, bfloat16Value],
] as const)('%s', (_, narrowKernel, widenKernel, bitsTwin, valueTwin) => {
  test('every value is widened exactly, and narrows back to itself', () => {
    const all = Uint16Array.from({ length: COUNT }, (_, i) => i)
    const found = widen(widenKernel, all)
    for (let bits = 0; bits < COUNT; bits++) {
      const value = valueTwin(bits)
      if (!Object.is(found[bits], value)) expect({ bits, value: found[bits] }).toEqual({ bits, value })
    }
    memory.float32(wide, COUNT).set(found)
    narrowKernel(narrow, wide, COUNT)
    const back = new Uint16Array(memory.memory.buffer, narrow, COUNT)
    for (let bits = 0; bits < COUNT; bits++) {
      if (!Number.isNaN(valueTwin(bits)) && back[bits] !== bits) expect(back[bits]).toBe(bits)
    }
  })

  test('values halfway between two go to the even one, their neighbours to the nearer', () => {
    const bits: number[] = []
    for (let low = 0; low < 0x7fff; low++) {
      const halfway = (valueTwin(low) + valueTwin(low + 1)) / 2
      if (!Number.isFinite(halfway)) continue
      const at = new Int32Array(Float32Array.of(halfway).buffer)[0]!
      for (const near of [at - 1, at, at + 1]) bits.push(near, near | 0x80000000)
    }
    for (let start = 0; start < bits.length; start += COUNT) {
      const part = bits.slice(start, start + COUNT)
      expect(narrowed(narrowKernel, part)).toEqual(floats(part).map(bitsTwin))
    }
  })

  test('values spread over all bit patterns round as the twin does', () => {
    const bits = Int32Array.from({ length: COUNT }, (_, i) => i * 65_521)
    expect(narrowed(narrowKernel, bits)).toEqual(floats(bits).map(bitsTwin))
  })

  test('arrays of any length are converted to their end and no further', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 40 }), (bits) => {
        new Uint16Array(memory.memory.buffer, narrow, 64).fill(7)
        expect(narrowed(narrowKernel, bits)).toEqual(floats(bits).map(bitsTwin))
        expect(new Uint16Array(memory.memory.buffer, narrow, 64)[bits.length]).toBe(7)
        const found = widen(widenKernel, narrowed(narrowKernel, bits))
        expect([...found.subarray(0, bits.length)]).toEqual(floats(bits).map(bitsTwin).map(valueTwin))
        expect(found[bits.length]).toBe(7)
      }),
    )
  })

  test('a value beyond the range becomes infinite, NaN stays NaN', () => {
    const bits = [0x7f7fffff, 0xff7fffff | 0, 0x7f800000, 0xff800000 | 0, 0x7f800001, 0xffc12345 | 0]
    const values = narrowed(narrowKernel, bits).map(valueTwin)
    expect(values).toEqual([Infinity, -Infinity, Infinity, -Infinity, Number.NaN, Number.NaN])
  })
})
