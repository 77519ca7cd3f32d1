import { shown, shownShape } from '../../errors.js'
import { otherFile } from '../../python-json.js'
import type { FloatDtype } from '../named-tensor.js'

/** The element types of tables, by their names in a safetensors file. */
export const FLOAT_DTYPES: Readonly<Record<string, FloatDtype>> = {
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
}

/** Bits of the format's element types. */
const DTYPE_BITS: Readonly<Record<string, number>> = {
  ...{ F4: 4, F6_E2M3: 6, F6_E3M2: 6 },
  ...{ BOOL: 8, U8: 8, I8: 8, F8_E5M2: 8, F8_E4M3: 8, F8_E8M0: 8, F8_E4M3FNUZ: 8, F8_E5M2FNUZ: 8 },
  ...{ I16: 16, U16: 16, F16: 16, BF16: 16 },
  ...{ I32: 32, U32: 32, F32: 32 },
  ...{ C64: 64, F64: 64, I64: 64, U64: 64 },
}

/** The longest header that the reference takes, in bytes. */
const MAX_HEADER_BYTES = 100_000_000
/** Bytes before the header: its length, little-endian. */
export const LENGTH_BYTES = 8

/** A tensor as the header declares it. */
export interface StoredTensor {
  readonly name: string
  /** As in the file: `F32`, `BF16`, … */
  readonly dtype: string
  readonly shape: readonly number[]
  /** Byte range in the data after the header: `start` is included, `end` is not. */
  readonly start: number
  readonly end: number
}

/** A tensor of a folder, as the header of its file declares it. */
export interface FileTensor {
  readonly file: string
  readonly name: string
  /** As in the file: `BF16`. */
  readonly fileDtype: string
  readonly fileShape: readonly number[]
}

export interface SafetensorsHeader {
  readonly metadata: Readonly<Record<string, string>>
  /** In the order of their bytes. */
  readonly tensors: readonly StoredTensor[]
  /** Bytes of all tensors together. */
  readonly dataBytes: number
}

/** A file that is not safetensors, or not whole. The message is one line: the fault and its place. */
export class SafetensorsError extends Error {
  override readonly name = 'SafetensorsError'
}

/**
 * Bytes of the header, from the file's first eight.
 *
 * @throws SafetensorsError
 */
export function headerLength(first: Uint8Array): number {
  if (first.length < LENGTH_BYTES)
    throw new SafetensorsError(`The file has ${first.length} bytes, less than 8.`)
  const length = new DataView(first.buffer, first.byteOffset, LENGTH_BYTES).getBigUint64(0, true)
  if (length > MAX_HEADER_BYTES) {
    const why = otherFile(new TextDecoder('latin1').decode(first.subarray(0, LENGTH_BYTES)))
    throw new SafetensorsError(
      why ? `${why}.` : `The header must be at most ${MAX_HEADER_BYTES} bytes. Given: ${length}`,
    )
  }
  return Number(length)
}

/**
 * Parses the header's bytes, without the eight before them. Refuses what the reference refuses: holes, overlaps, sizes
 * that are not shape × width, bytes after the JSON other than blanks. Of a repeated name the last one counts.
 *
 * Source: huggingface/safetensors 0.8.0, `safetensors/src/tensor.rs`.
 *
 * @param dataBytes bytes that follow the header, if known: the tensors must declare exactly as many
 * @throws SafetensorsError naming the tensor and the rule
 */
export function parseHeader(json: Uint8Array, dataBytes?: number): SafetensorsHeader {
  const { __metadata__: metadata, ...rest } = jsonObject(json)
  const tensors = Object.entries(rest).map(([name, value]) => storedTensor(name, value))
  tensors.sort((a, b) => a.start - b.start || a.end - b.end)
  let end = 0
  for (const tensor of tensors) {
    const rule = `must begin at ${end}, where the one before it ends`
    if (tensor.start !== end)
      throw new SafetensorsError(`Tensor ${shown(tensor.name)} ${rule}. Given: ${tensor.start}`)
    end = tensor.end
  }
  if (dataBytes !== undefined && dataBytes !== end) {
    throw new SafetensorsError(
      `The tensors must take the ${dataBytes} bytes after the header. Declared: ${end}`,
    )
  }
  return { metadata: checkedMetadata(metadata), tensors, dataBytes: end }
}

function storedTensor(name: string, value: unknown): StoredTensor {
  const refuse = (rule: string): never => {
    throw new SafetensorsError(`Tensor ${shown(name)} ${rule}.`)
  }
  if (typeof value !== 'object' || value === null) return refuse('must be an object')
  const { dtype, shape, data_offsets: offsets } = value as Record<string, unknown>
  const bits = typeof dtype === 'string' && Object.hasOwn(DTYPE_BITS, dtype) ? DTYPE_BITS[dtype] : undefined
  if (bits === undefined) return refuse(`must have a known dtype. Given: ${shown(dtype)}`)
  if (!isSizes(shape)) return refuse('must have a shape of whole numbers')
  if (!isSizes(offsets) || offsets.length !== 2) return refuse('must have two whole data_offsets')
  const [start, end] = offsets
  const count = shape.reduce((product, axis) => product * axis, 1)
  if (!Number.isSafeInteger(count)) return refuse(`has too many elements: ${shownShape(shape)}`)
  if ((count * bits) % 8 !== 0) return refuse('does not end on a byte')
  const bytes = (count * bits) / 8
  if (end - start !== bytes)
    return refuse(`must have ${bytes} bytes, by its shape and dtype. Given: ${end - start}`)
  return { name, dtype: dtype as string, shape, start, end }
}

function isSizes(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.every((each) => Number.isSafeInteger(each) && each >= 0 && !Object.is(each, -0))
  )
}

function checkedMetadata(metadata: unknown): Readonly<Record<string, string>> {
  if (metadata === undefined || metadata === null) return {}
  const isRight =
    typeof metadata === 'object' &&
    !Array.isArray(metadata) &&
    Object.values(metadata).every((value) => typeof value === 'string')
  if (isRight) return metadata as Record<string, string>
  throw new SafetensorsError(`\`__metadata__\` must be an object of strings. Given: ${shown(metadata)}`)
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function jsonObject(json: Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(strict.decode(json))
  } catch (error) {
    throw new SafetensorsError(`The header must be JSON in UTF-8: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SafetensorsError('The header must be a JSON object.')
  return value as Record<string, unknown>
}
