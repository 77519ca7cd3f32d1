import type { Dtype } from '../../../first-layer/tensors/named-tensor.js'

/** A served tensor's element type under the protocol's name. `BF16` is Triton's addition. */
export const DATATYPES: Readonly<Record<Dtype, string>> = {
  int64: 'INT64',
  int32: 'INT32',
  float32: 'FP32',
  float16: 'FP16',
  bfloat16: 'BF16',
}

/** Bytes of an element of the integer types that ids and masks come in. */
export const INTEGER_BYTES: Readonly<Record<string, number>> = { INT64: 8, INT32: 4 }
