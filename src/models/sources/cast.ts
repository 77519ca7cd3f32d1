import { instantiateKernels, STORAGE } from '../../kernels/kernels.js'
import { ModelMemory } from '../../kernels/model-memory.js'
import { type FloatDtype, ITEM_BYTES } from '../../named-tensor.js'

/** Room for the one id that the kernel wants, and for aligning three pieces of memory. */
const SLACK = 256

/** Numbers on their way from a file's element type to a table's. */
export interface Cast {
  /** Where the next stored numbers are to be put. */
  readonly input: Uint8Array
  /** Casts the first `count` numbers of `input`; the result is valid until the next call. */
  run(count: number): Uint8Array
}

/**
 * Casts up to `most` numbers at a time, rounded to nearest even, as `tensor.to(dtype)` does: float32 1.0009766 →
 * bfloat16 1.
 */
export function castOf(stored: FloatDtype, dtype: FloatDtype, most: number): Cast {
  const memory = ModelMemory.create(most * (ITEM_BYTES[stored] + ITEM_BYTES.float32) + SLACK)
  const kernels = instantiateKernels(memory.memory)
  const input = memory.allocate(most * ITEM_BYTES[stored])
  const wide = memory.allocate(most * ITEM_BYTES.float32)
  const id = memory.allocate(ITEM_BYTES.int32)
  return {
    input: memory.bytes(input, most * ITEM_BYTES[stored]),
    run(count) {
      kernels.embedRows(wide, input, STORAGE[stored], id, 1, count, 0, 0, 0, 0, 1)
      if (dtype === 'float16') kernels.narrowFloat16(wide, wide, count)
      else if (dtype === 'bfloat16') kernels.narrowBfloat16(wide, wide, count)
      return memory.bytes(wide, count * ITEM_BYTES[dtype])
    },
  }
}
