import { chained, type Written } from './blocks.js'
import { byteLength, type Dtype, type NamedTensor, type TensorInfo } from './named-tensor.js'

const DESCR: Readonly<Partial<Record<Dtype | NpyOnly, string>>> = {
  ...{ uint16: '<u2', uint32: '<u4' },
  ...{ int64: '<i8', int32: '<i4' },
  ...{ float32: '<f4', float16: '<f2' },
}

/** Types that NumPy has, and no served tensor: those of files of ids. */
type NpyOnly = 'uint16' | 'uint32'

const ALIGNMENT = 64
/** NumPy leaves room for the first axis to grow to this many digits without moving the data. */
const GROWTH_DIGITS = 21

/**
 * The header that `numpy.save` writes (format 1.0), to the byte: magic, length, a Python dict literal, spaces
 * up to a multiple of 64, a newline. float32 [8, 4, 256] → 128 bytes.
 * Source: numpy/lib/format.py, `_write_array_header`.
 */
export function npyHeader(dtype: Dtype | NpyOnly, shape: readonly number[]): Buffer {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`
  let dict = `{'descr': '${DESCR[dtype]}', 'fortran_order': False, 'shape': ${tuple}, }`
  if (shape.length > 0) dict += ' '.repeat(GROWTH_DIGITS - String(shape[0]).length)
  const preamble = 10 // magic, version, length
  const padding = ALIGNMENT - ((preamble + dict.length + 1) % ALIGNMENT)
  const header = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${dict}${' '.repeat(padding)}\n`, 'latin1')
  header.writeUInt16LE(header.length - preamble, 8)
  return header
}

/** Why an answer cannot have this tensor as npy; undefined: it can. */
export function noNpyType({ name, dtype }: Pick<TensorInfo, 'name' | 'dtype'>): string | undefined {
  if (DESCR[dtype] !== undefined) return undefined
  return `\`dtype\` must not be bfloat16 for application/x-npy: NumPy has no such type. Given: ${dtype} for ${name}`
}

/** A tensor as the file that `numpy.load` opens. */
export function npyFile(tensor: NamedTensor): Written {
  const header = npyHeader(tensor.dtype, tensor.shape)
  return { bytes: header.length + byteLength(tensor), blocks: () => chained([[header], tensor.blocks()]) }
}
