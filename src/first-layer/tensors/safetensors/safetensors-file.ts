import { chained, type Written } from '../blocks.js'
import { byteLength, type Dtype, ITEM_BYTES, type NamedTensor, type TensorInfo } from '../named-tensor.js'
import { LENGTH_BYTES } from './header.js'

/** Tensors as one file, as `safetensors.numpy.load` and its kin read it. @param metadata `__metadata__` */
export function safetensorsFile(
  metadata: Readonly<Record<string, string | undefined>>,
  tensors: readonly NamedTensor[],
): Written {
  // Wide elements first, so that each tensor starts at a multiple of its element.
  const ordered = [...tensors].sort((a, b) => ITEM_BYTES[b.dtype] - ITEM_BYTES[a.dtype])
  const header = writeHeader(metadata, ordered)
  return {
    bytes: ordered.reduce((sum, tensor) => sum + byteLength(tensor), header.length),
    blocks: () => chained([[header], ...ordered.map((tensor) => tensor.blocks())]),
  }
}

/** Element types as the format calls them. */
const DTYPE_NAMES: Readonly<Record<Dtype, string>> = {
  int64: 'I64',
  int32: 'I32',
  float32: 'F32',
  float16: 'F16',
  bfloat16: 'BF16',
}

/** A tensor as a file declares it. */
interface WrittenTensor {
  readonly name: string
  /** As in the file: `F32`, `BF16`, … */
  readonly dtype: string
  readonly shape: readonly number[]
  readonly bytes: number
}

/**
 * Length (8 bytes, little-endian) and JSON header of a safetensors file, padded with spaces to a multiple of 8. The
 * tensors' bytes follow in this order, without gaps.
 * Source: the format's description in huggingface/safetensors, README.md.
 */
export function writeHeader(
  metadata: Readonly<Record<string, string | undefined>>,
  tensors: readonly TensorInfo[],
): Buffer {
  const written = tensors.map((tensor) => {
    return { ...tensor, dtype: DTYPE_NAMES[tensor.dtype], bytes: byteLength(tensor) }
  })
  return writtenHeader(metadata, written)
}

/** As {@link writeHeader}, of tensors of any type of the format. */
export function writtenHeader(
  metadata: Readonly<Record<string, string | undefined>>,
  tensors: readonly WrittenTensor[],
): Buffer {
  const header: Record<string, unknown> = Object.create(null)
  header.__metadata__ = metadata
  let offset = 0
  for (const { name, dtype, shape, bytes } of tensors) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes] }
    offset += bytes
  }
  const json = Buffer.from(JSON.stringify(header))
  const padded = Math.ceil(json.length / 8) * 8
  const bytes = Buffer.alloc(LENGTH_BYTES + padded, ' ')
  bytes.writeBigUInt64LE(BigInt(padded), 0)
  json.copy(bytes, LENGTH_BYTES)
  return bytes
}
