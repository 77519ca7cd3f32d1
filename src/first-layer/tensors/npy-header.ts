import { shown } from '../errors.js'
import type { Dtype } from './named-tensor.js'

/** A file's array: its type as NumPy writes it, and where its elements begin. */
export interface NpyHeader {
  /** Absent: a type that no tensor here has. */
  readonly dtype: Dtype | undefined
  /** As in the file: `<f4`. */
  readonly descr: string
  readonly shape: readonly number[]
  readonly isFortran: boolean
  /** Byte of the first element. */
  readonly start: number
}

/** A file that is no .npy. The message is one line: the fault. */
export class NpyError extends Error {
  override readonly name = 'NpyError'
}

const MAGIC = '\x93NUMPY'
/** The longest header that is read; that of an array of numbers has 118 bytes. */
const MAX_HEADER_BYTES = 65_535
const DICT =
  /^\{'descr': '([^']{1,16})', 'fortran_order': (True|False), 'shape': \(((?:\d+(?:, )?)*,?)\), \} *\n?$/
const DTYPES: Readonly<Record<string, Dtype>> = {
  ...{ '<f4': 'float32', '<f2': 'float16' },
  ...{ '<i4': 'int32', '<i8': 'int64' },
}

/**
 * Reads the header of a .npy of any version: `{'descr': '<f4', 'fortran_order': False, 'shape': (8, 256), }` →
 * float32 [8, 256], elements from byte 128 on.
 *
 * Source: numpy/lib/format.py.
 *
 * @throws NpyError
 */
export function readNpyHeader(file: Uint8Array): NpyHeader {
  const text = (from: number, to: number) =>
    Buffer.from(file.buffer, file.byteOffset + from, to - from).toString('latin1')
  if (file.length < 10 || text(0, 6) !== MAGIC) throw new NpyError('It does not begin with \\x93NUMPY.')
  const version = file[6]
  if (version < 1 || version > 3) throw new NpyError(`Its format must be 1, 2 or 3. Given: ${version}`)
  const lengthBytes = version === 1 ? 2 : 4
  const from = 8 + lengthBytes
  if (file.length < from) throw new NpyError('It breaks off in its header.')
  let length = 0
  for (let i = 0; i < lengthBytes; i++) length += file[8 + i] * 2 ** (8 * i)
  if (length > MAX_HEADER_BYTES) {
    throw new NpyError(`Its header must be at most ${MAX_HEADER_BYTES} bytes. Given: ${length}`)
  }
  const start = from + length
  if (file.length < start) throw new NpyError('It breaks off in its header.')
  const dict = text(from, start)
  const match = DICT.exec(dict)
  if (match === null) throw new NpyError(`Its header must be NumPy’s for one array. Given: ${shown(dict)}`)
  const [, descr, order, sizes] = match
  const shape = sizes.split(',').flatMap((size) => (size.trim() === '' ? [] : [Number(size)]))
  if (!shape.every(Number.isSafeInteger)) throw new NpyError(`Its shape is too large. Given: ${sizes}`)
  return { dtype: DTYPES[descr], descr, shape, isFortran: order === 'True', start }
}
