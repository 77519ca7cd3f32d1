import {
  instantiateTextKernels,
  MAX_FLOAT_TEXT_BYTES,
  MAX_INT32_TEXT_BYTES,
  type TextKernels,
} from '../kernels/text-kernels.js'
import { BufferPool } from '../memory.js'
import { type Blocks, written } from '../tensors/blocks.js'
import { type Dtype, elementCount, ITEM_BYTES, type NamedTensor } from '../tensors/named-tensor.js'
import { type Part, part } from './json-parts.js'

/** Numbers turned to text at a time: half a millisecond of work. */
export const SLICE = 1 << 14

/** Most bytes of one number with its comma, or with the brackets of a row. */
const MAX_NUMBER_BYTES = Math.max(MAX_FLOAT_TEXT_BYTES, MAX_INT32_TEXT_BYTES) + 2

/** Bytes that a slice's text can take, with the brackets of four axes: no tensor has more. */
const TEXT_BYTES = SLICE * (MAX_NUMBER_BYTES + 8)

export const texts = new BufferPool(TEXT_BYTES, 16)

/** The thread's kernels, with their memory for a slice of numbers, for the same as float32, and for their text. */
let kernels: (TextKernels & { readonly places: readonly Uint8Array[] }) | undefined

function loadedKernels() {
  const made = instantiateTextKernels()
  const sizes = [SLICE * 4, SLICE * 4, SLICE * MAX_NUMBER_BYTES]
  const pointers = sizes.map((bytes) => made.reserve(bytes))
  const { buffer } = made.memory // read after the last `reserve`, which replaces it
  return { ...made, places: sizes.map((bytes, i) => new Uint8Array(buffer, pointers[i], bytes)) }
}

/**
 * Writes the elements of `bytes`, at most {@link SLICE}, of type `dtype`, to `text` from `at` on: rows of
 * `length`, `1,2],[3,4`; floats as the shortest decimals that read back as the same float32.
 * @returns where the text ends
 */
export function writeNumbers(
  text: Uint8Array,
  at: number,
  bytes: Uint8Array,
  dtype: Dtype,
  length: number,
): number {
  if (dtype === 'int64') return writeNumbers(text, at, lowWords(bytes), 'int32', length)
  kernels ??= loadedKernels()
  const [input, wide, out] = kernels.places
  input.set(bytes)
  const count = bytes.byteLength / ITEM_BYTES[dtype]
  let floats = input
  if (dtype === 'float16' || dtype === 'bfloat16') {
    const widen = dtype === 'float16' ? kernels.widenFloat16 : kernels.widenBfloat16
    widen(wide.byteOffset, input.byteOffset, count)
    floats = wide
  }
  const write = dtype === 'int32' ? kernels.int32RowsToText : kernels.floatRowsToText
  const written = write(out.byteOffset, floats.byteOffset, count / length, length)
  text.set(out.subarray(0, written), at)
  return at + written
}

/** The int32 that int64 elements hold, which all of the service's do. */
function lowWords(bytes: Uint8Array): Uint8Array {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  return new Uint8Array(Int32Array.from({ length: words.length / 2 }, (_, i) => words[2 * i]).buffer)
}

/** Bytes that the size of an answer counts for a number that is not written yet, its comma included. */
export const FLOAT_BYTES = 14
export const ID_BYTES = 7

/** The same for a tensor. */
export function numbersBytes({ dtype, shape }: Pick<NamedTensor, 'dtype' | 'shape'>): number {
  return 2 + elementCount(shape) * (dtype.startsWith('int') ? ID_BYTES : FLOAT_BYTES)
}

/** A tensor as nested JSON arrays, one level an axis: int32 [2, 2] → `[[1,2],[3,4]]`, [0, 2] → `[]`. */
export function nestedArrays(tensor: NamedTensor): Part {
  return part(numbersBytes(tensor), () => nestedArrayText(tensor))
}

function nestedArrayText(tensor: NamedTensor): Blocks {
  const { dtype, shape } = tensor
  if (elementCount(shape) === 0) return [Buffer.from('[]')] // it has no rows
  return written(tensor.blocks(), () => {
    const itemBytes = ITEM_BYTES[dtype]
    const spans = spansOf(shape)
    const [row, group = row] = spans
    const text = texts.take()
    let index = 0
    let ended = spans.length // arrays that end, or begin, before the next number
    return {
      most: SLICE * itemBytes,
      each(slice) {
        let at = 0
        for (let from = 0; from < slice.byteLength; ) {
          const left = (slice.byteLength - from) / itemBytes
          const isPart = index % row !== 0 || left < row
          // Numbers that need no brackets but `],[` between them: whole rows of one sub-array, or a part of a row.
          const run = isPart
            ? Math.min(row - (index % row), left)
            : row * Math.floor(Math.min(group - (index % group), left) / row)
          at += text.write(`${index > 0 ? ',' : ''}${'['.repeat(ended)}`, at, 'latin1')
          const numbers = slice.subarray(from, from + run * itemBytes)
          at = writeNumbers(text, at, numbers, dtype, isPart ? run : row)
          from += run * itemBytes
          index += run
          for (ended = 0; ended < spans.length && index % spans[ended] === 0; ) ended++
          at += text.write(']'.repeat(ended), at, 'latin1')
        }
        return text.subarray(0, at)
      },
      release: () => texts.give(text),
    }
  })
}

/** Elements of one sub-array of each axis, innermost first: [8, 4, 256] → 256, 1024, 8192. */
function spansOf(shape: readonly number[]): readonly number[] {
  const spans: number[] = []
  for (const axis of shape.toReversed()) spans.push(axis * (spans.at(-1) ?? 1))
  return spans
}
