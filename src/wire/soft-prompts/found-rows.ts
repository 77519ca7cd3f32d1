import { InletError, quoted, shown } from '../../errors.js'
import type { FloatDtype } from '../../first-layer/tensors/named-tensor.js'
import { NpyError, readNpyHeader } from '../../first-layer/tensors/npy-header.js'
import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/float-dtypes.js'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
  type StoredTensor,
} from '../../first-layer/tensors/safetensors/header.js'

/** The tensor of PEFT's files. */
export const ROWS = 'prompt_embeddings'

/** The array of an uploaded file, not yet checked against a model. */
export interface FoundRows {
  readonly dtype: FloatDtype
  readonly shape: readonly number[]
  /** Row-major, little-endian; a view of the file. */
  readonly bytes: Uint8Array
}

/** Most bytes of a safetensors header: it is parsed in one turn. That of PEFT's files has about a hundred. */
const MAX_HEADER_BYTES = 1 << 16
const MOST_NAMES = 3

/**
 * `prompt_embeddings` of a file as PEFT writes it, whatever its name.
 *
 * @throws InletError `invalid_request` for what is no such file, `shape_mismatch` for one with other tensors,
 * `unsupported_combination` for those of prefix tuning and multitask prompt tuning
 */
export function rowsOfSafetensors(file: Uint8Array): FoundRows {
  const { tensors, data } = tensorsOf(file)
  for (const { name } of tensors) checkMethod(name)
  const [rows, ...others] = tensors
  if (rows?.name !== ROWS || others.length > 0) throw otherTensors(tensors)
  if (!Object.hasOwn(FLOAT_DTYPES, rows.dtype)) {
    const message = `${quoted(ROWS)} must be F32, F16 or BF16. Given: ${rows.dtype}`
    throw new InletError('shape_mismatch', message, ROWS)
  }
  return { dtype: FLOAT_DTYPES[rows.dtype], shape: rows.shape, bytes: data.subarray(rows.start, rows.end) }
}

/**
 * The array of a .npy.
 *
 * @throws InletError `invalid_request` for what is no such file, or has another order or length than C's; `shape_mismatch`
 * for another type than float32 and float16
 */
export function rowsOfNpy(file: Uint8Array): FoundRows {
  const { dtype, descr, shape, isFortran, start } = readHeader(file)
  if (dtype !== 'float32' && dtype !== 'float16') {
    throw new InletError('shape_mismatch', `${quoted(ROWS)} must be <f4 or <f2. Given: ${shown(descr)}`, ROWS)
  }
  if (isFortran) throw invalidNpy('Its elements must be in C’s order: `numpy.ascontiguousarray(rows)`.')
  const bytes = shape.reduce((product, axis) => product * axis, dtype === 'float32' ? 4 : 2)
  if (file.length - start !== bytes) {
    throw invalidNpy(`Its elements must take ${bytes} bytes. Given: ${file.length - start}`)
  }
  return { dtype, shape, bytes: file.subarray(start) }
}

function tensorsOf(file: Uint8Array) {
  try {
    const length = headerLength(file)
    if (length > MAX_HEADER_BYTES) {
      throw new SafetensorsError(`The header must be at most ${MAX_HEADER_BYTES} bytes. Given: ${length}`)
    }
    const start = LENGTH_BYTES + length
    if (file.length < start) throw new SafetensorsError('The file breaks off in its header.')
    const { tensors } = parseHeader(file.subarray(LENGTH_BYTES, start), file.length - start)
    return { tensors, data: file.subarray(start) }
  } catch (error) {
    if (!(error instanceof SafetensorsError)) throw error
    throw new InletError('invalid_request', `The body must be a safetensors file. ${error.message}`)
  }
}

/** @throws InletError `unsupported_combination` for a tensor of a method whose rows alone do not stand before a text */
function checkMethod(name: string): void {
  const refuse = (method: string) => {
    const message = `${quoted(ROWS)} must be rows [n, C] of prompt tuning: ${shown(name)} is ${method}, which is not served.`
    throw new InletError('unsupported_combination', message, ROWS)
  }
  if (/past_key_values|^(keys|values)$/i.test(name)) refuse('prefix tuning’s')
  if (name.startsWith('prefix_task_')) refuse('multitask prompt tuning’s')
  if (/lora_/i.test(name)) refuse('LoRA’s')
}

function otherTensors(tensors: readonly StoredTensor[]): InletError {
  const names = tensors.slice(0, MOST_NAMES).map(({ name }) => shown(name))
  const given = tensors.length > MOST_NAMES ? `${names.join(', ')}, …` : names.join(', ') || 'no tensor'
  const message = `The file must have ${quoted(ROWS)}, [n, C], and nothing more. Given: ${given}`
  return new InletError('shape_mismatch', message, ROWS)
}

function readHeader(file: Uint8Array) {
  try {
    return readNpyHeader(file)
  } catch (error) {
    if (error instanceof NpyError) throw invalidNpy(error.message)
    throw error
  }
}

function invalidNpy(reason: string): InletError {
  return new InletError('invalid_request', `The body must be a .npy file. ${reason}`)
}
