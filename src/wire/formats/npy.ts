import { byteLength, type Dtype, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { Format } from './format.js'
import { countHeaders } from './headers.js'

const DESCR: Readonly<Partial<Record<Dtype, string>>> = { int32: '<i4', float32: '<f4', float16: '<f2' }

const ALIGNMENT = 64
/** NumPy leaves room for the first axis to grow to this many digits without moving the data. */
const GROWTH_DIGITS = 21

/**
 * The header that `numpy.save` writes (format 1.0), to the byte: magic, length, a Python dict literal, spaces
 * up to a multiple of 64, a newline. float32 [8, 4, 256] → 128 bytes.
 * Source: numpy/lib/format.py, `_write_array_header`.
 */
export function npyHeader(dtype: Dtype, shape: readonly number[]): Buffer {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`
  let dict = `{'descr': '${DESCR[dtype]}', 'fortran_order': False, 'shape': ${tuple}, }`
  if (shape.length > 0) dict += ' '.repeat(GROWTH_DIGITS - String(shape[0]).length)
  const preamble = 10 // magic, version, length
  const padding = ALIGNMENT - ((preamble + dict.length + 1) % ALIGNMENT)
  const header = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${dict}${' '.repeat(padding)}\n`, 'latin1')
  header.writeUInt16LE(header.length - preamble, 8)
  return header
}

async function* file(header: Buffer, tensor: NamedTensor): AsyncGenerator<Uint8Array, void, void> {
  yield header
  yield* tensor.blocks()
}

/** One tensor as NumPy's own file. NumPy has no bfloat16. */
export const npy: Format = {
  name: 'npy',
  mediaTypes: ['application/x-npy'],
  single: true,
  limit: 'MAX_RESPONSE_BYTES',
  refuses: ({ name, dtype }) =>
    DESCR[dtype] === undefined
      ? `\`dtype\` must not be bfloat16 for application/x-npy: NumPy has no such type. Given: ${dtype} for ${name}`
      : undefined,
  encode(answer) {
    const [tensor] = answer.tensors
    const header = npyHeader(tensor.dtype, tensor.shape)
    return {
      size: header.length + byteLength(tensor),
      exact: true,
      headers: countHeaders(answer),
      body: file(header, tensor),
    }
  },
}
