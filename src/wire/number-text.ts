import {
  instantiateKernels,
  type Kernels,
  MAX_FLOAT_TEXT_BYTES,
  MAX_INT32_TEXT_BYTES,
} from '../kernels/kernels.js'
import { ModelMemory } from '../kernels/model-memory.js'
import { type Dtype, ITEM_BYTES } from '../named-tensor.js'

/** Numbers turned to text at a time: half a millisecond of work. */
export const SLICE = 1 << 14

/** Most bytes of one number with its comma, or with the brackets of a row of its own. */
export const MAX_NUMBER_BYTES = Math.max(MAX_FLOAT_TEXT_BYTES, MAX_INT32_TEXT_BYTES) + 2

/**
 * Elements of tensors as JSON numbers: the shortest decimals that read back as the same float32, the integers
 * as they are. It works on a small memory of its own, so that it takes blocks from anywhere.
 */
class NumberText {
  readonly #kernels: Kernels
  readonly #input: Uint8Array
  readonly #wide: Uint8Array
  readonly #text: Uint8Array

  constructor() {
    const memory = ModelMemory.create(SLICE * (4 + 4 + MAX_NUMBER_BYTES) + 192)
    const part = (bytes: number) => memory.bytes(memory.allocate(bytes), bytes)
    this.#kernels = instantiateKernels(memory.memory)
    this.#input = part(SLICE * 4)
    this.#wide = part(SLICE * 4)
    this.#text = part(SLICE * MAX_NUMBER_BYTES)
  }

  /**
   * The elements of `bytes`, at most {@link SLICE}, of type `dtype`: rows of `length`, `1,2],[3,4`. The text is
   * a view that the next call overwrites.
   */
  write(bytes: Uint8Array, dtype: Dtype, length: number): Uint8Array {
    const count = bytes.byteLength / ITEM_BYTES[dtype]
    const rows = count / length
    const { int32RowsToText, floatRowsToText, widenFloat16, widenBfloat16 } = this.#kernels
    const [text, input, wide] = [this.#text.byteOffset, this.#input.byteOffset, this.#wide.byteOffset]
    this.#input.set(bytes)
    let written: number
    if (dtype === 'int32') written = int32RowsToText(text, input, rows, length)
    else if (dtype === 'float32') written = floatRowsToText(text, input, rows, length)
    else {
      const widen = dtype === 'float16' ? widenFloat16 : widenBfloat16
      widen(wide, input, count)
      written = floatRowsToText(text, wide, rows, length)
    }
    return this.#text.subarray(0, written)
  }
}

let shared: NumberText | undefined

/** The thread's writer: each call is over before the next one, so that all streams share it. */
export function numberText(bytes: Uint8Array, dtype: Dtype, length: number): Uint8Array {
  shared ??= new NumberText()
  return shared.write(bytes, dtype, length)
}
