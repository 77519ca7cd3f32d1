import {
  instantiateTextKernels,
  MAX_FLOAT_TEXT_BYTES,
  MAX_INT32_TEXT_BYTES,
  type TextKernels,
} from '../kernels/text-kernels.js'
import { type Blocks, type BlockWriter, BufferPool, chained, written } from '../tensors/blocks.js'
import { type Dtype, elementCount, ITEM_BYTES, type NamedTensor } from '../tensors/named-tensor.js'

/** A long part of a JSON answer, made as it is sent. It stands in the answer's value where its text comes. */
export interface Part {
  /** Bytes of the text, or what the answer's size counts for them. */
  readonly bytes: number
  text(): Blocks
}

export function part(bytes: number, text: () => Blocks): Part {
  return { bytes, text, toJSON: stands } as Part
}

function stands(this: Part): object {
  met.push(this)
  return PLACE
}

/** Stands in the JSON for a part. No other text is like it: a string of JSON has its quotes escaped. */
const PLACE = { '': 0 }
/** The parts that `JSON.stringify` has met, in their order. */
let met: Part[] = []

/**
 * A value with long parts as an encoded answer: `{ model: 'm', data: listOf(…) }` → `{"model":"m","data":[…]}`.
 *
 * @param exact whether the bytes of all parts are exact
 */
export function jsonAnswer(value: unknown, exact = false) {
  met = []
  const json = JSON.stringify(value)
  const texts = json.split('{"":0}')
  let size = Buffer.byteLength(json) - met.length * '{"":0}'.length
  const blocks: Blocks[] = [[Buffer.from(texts[0])]]
  for (const [i, { bytes, text }] of met.entries()) {
    size += bytes
    blocks.push(text(), [Buffer.from(texts[i + 1])])
  }
  return { size, exact, body: chained(blocks) }
}

/** A list, of slices of its elements, or of their JSON; none is empty. */
export function listOf(slices: Iterable<readonly unknown[] | string>, bytes = 0): Part {
  return part(bytes, function* () {
    let separator = '['
    for (const slice of slices) {
      yield Buffer.from(separator + (typeof slice === 'string' ? slice : JSON.stringify(slice).slice(1, -1)))
      separator = ','
    }
    yield Buffer.from(separator === ',' ? ']' : '[]')
  })
}

/** Elements 0 … count − 1 in slices: a tenth of a millisecond or two of work each. */
export function* sliced(
  count: number,
  element: (i: number) => unknown,
  most = 256,
): Generator<readonly unknown[], void, void> {
  for (let from = 0; from < count; from += most)
    yield Array.from({ length: Math.min(most, count - from) }, (_, i) => element(from + i))
}

/** The JSON of numbers in slices. */
export function* numberSlices(blocks: Iterable<Int32Array>): Generator<string, void, void> {
  for (const block of blocks)
    for (let at = 0; at < block.length; at += 4096) yield block.subarray(at, at + 4096).join()
}

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
  const { dtype, shape } = tensor
  const writer = (): BlockWriter => {
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
  }
  const hasNone = elementCount(shape) === 0 // it has no rows
  return part(numbersBytes(tensor), () => (hasNone ? [Buffer.from('[]')] : written(tensor.blocks(), writer)))
}

/** Elements of one sub-array of each axis, innermost first: [8, 4, 256] → 256, 1024, 8192. */
function spansOf(shape: readonly number[]): readonly number[] {
  const spans: number[] = []
  for (const axis of shape.toReversed()) spans.push(axis * (spans.at(-1) ?? 1))
  return spans
}
