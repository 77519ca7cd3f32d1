import { describe, expect, it } from 'vitest'
import { SLICE, texts, writeNumbers } from '../../../src/first-layer/formats/json.js'
import type { Dtype } from '../../../src/first-layer/tensors/named-tensor.js'
import { bfloat16Value, float16Value } from '../../twins/sixteen-bits.js'

/** Rows of one number: the text with the most brackets. */
const ROW = 1

const words = Uint16Array.from({ length: SLICE }, (_, i) => (i * 2_654_435_761) >>> 16)
const isFinite16 = (bits: number) => (bits & 0x7c00) !== 0x7c00 && (bits & 0x7f80) !== 0x7f80
const finite = words.map((bits) => (isFinite16(bits) ? bits : 0x3c00))
const floats = Float32Array.from(finite, (bits, i) => bfloat16Value(bits) * (1 + (i % 97) / 128))
const ints = Int32Array.from(words, (bits, i) => (bits << 16) | (i & 0xffff))

const WHOLE: readonly [Dtype, ArrayBufferView, readonly number[]][] = [
  ['float32', floats, [...floats]],
  ['int32', ints, [...ints]],
  ['float16', finite, Array.from(finite, float16Value)],
  ['bfloat16', finite, Array.from(finite, bfloat16Value)],
]

describe.each(WHOLE)('a whole slice of %s', (dtype, array, values) => {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

  it('is every number as it is', () => {
    const text = texts.take()
    const end = writeNumbers(text, 0, bytes, dtype, ROW)
    const read = JSON.parse(`[[${Buffer.from(text.subarray(0, end)).toString('latin1')}]]`).flat()
    texts.give(text)
    expect(read.length).toBe(values.length)
    const asRead = dtype === 'int32' ? (number: number) => number : Math.fround
    expect(read.findIndex((number: number, i: number) => !Object.is(asRead(number), values[i]))).toBe(-1)
  })
})
