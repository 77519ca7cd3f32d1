import { instantiateKernels, STORAGE } from '../../first-layer/kernels/kernels.js'
import { ModelMemory } from '../../first-layer/kernels/model-memory.js'
import { type FloatDtype, ITEM_BYTES } from '../../first-layer/tensors/named-tensor.js'

/** Bytes for the kernel's one id, and for aligning three pieces of memory. */
const SLACK = 256

/** Bytes of a number in a file. */
export const STORED_BYTES = { ...ITEM_BYTES, int8: 1 } as const

/** Casts numbers from a file's dtype to a table's. */
export interface Cast {
  /** Put the next stored numbers here. */
  readonly input: Uint8Array
  /** Casts the first `count` numbers of `input`; the result is valid until the next call. */
  run(count: number): Uint8Array
}

/**
 * Casts up to `most` numbers at a time, rounded to nearest even, as `tensor.to(dtype)` does: float32 1.0009766 →
 * bfloat16 1.
 */
export function castOf(stored: FloatDtype | 'int8', dtype: FloatDtype, most: number): Cast {
  if (stored === 'int8') return integerCast(most)
  const memory = ModelMemory.create(most * (ITEM_BYTES[stored] + ITEM_BYTES.float32) + SLACK)
  const kernels = instantiateKernels(memory.memory)
  const input = memory.allocate(most * ITEM_BYTES[stored])
  const wide = memory.allocate(most * ITEM_BYTES.float32)
  const id = memory.allocate(ITEM_BYTES.int32)
  return {
    input: memory.bytes(input, most * ITEM_BYTES[stored]),
    run(count) {
      kernels.embedRows(wide, STORAGE.float32, input, STORAGE[stored], id, 1, count, 0, 0, 0, 0, 1)
      if (dtype === 'float16') kernels.narrowFloat16(wide, wide, count)
      else if (dtype === 'bfloat16') kernels.narrowBfloat16(wide, wide, count)
      return memory.bytes(wide, count * ITEM_BYTES[dtype])
    },
  }
}

/** Casts 8-bit integers to float16, which represents all of them. */
function integerCast(most: number): Cast {
  const input = new Uint8Array(most)
  const out = new Uint16Array(most)
  const bits = Uint16Array.from({ length: 256 }, (_, byte) => float16Of((byte << 24) >> 24))
  return {
    input,
    run(count) {
      for (let i = 0; i < count; i++) out[i] = bits[input[i]!]!
      return new Uint8Array(out.buffer, 0, 2 * count)
    },
  }
}

/** The bits of an integer of at most 11 binary digits: −3 → 0xc200. */
function float16Of(integer: number): number {
  if (integer === 0) return 0
  const size = Math.abs(integer)
  const exponent = 31 - Math.clz32(size)
  const fraction = (size << (10 - exponent)) & 0x3ff
  return (integer < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction
}
