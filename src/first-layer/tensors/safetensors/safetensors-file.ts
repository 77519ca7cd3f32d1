import type { Blocks } from '../../steps.js'
import { byteLength, ITEM_BYTES, type NamedTensor, type TensorInfo } from '../named-tensor.js'
import { writeHeader } from './write-header.js'

/** Tensors as one file, as `safetensors.numpy.load` and its kin read it. */
export interface SafetensorsFile {
  readonly bytes: number
  /** The file from its beginning, each time anew. */
  blocks(): Blocks
}

/** Wide elements first, so that each tensor starts at a multiple of its element. */
function inFileOrder<Tensor extends TensorInfo>(tensors: readonly Tensor[]): readonly Tensor[] {
  return [...tensors].sort((a, b) => ITEM_BYTES[b.dtype] - ITEM_BYTES[a.dtype])
}

/** The length and the JSON before the elements. */
function safetensorsHeader(
  metadata: Readonly<Record<string, string | undefined>>,
  tensors: readonly TensorInfo[],
): Buffer {
  return writeHeader(metadata, inFileOrder(tensors))
}

/** @param metadata of the file, `__metadata__` */
export function safetensorsFile(
  metadata: Readonly<Record<string, string | undefined>>,
  tensors: readonly NamedTensor[],
): SafetensorsFile {
  const header = safetensorsHeader(metadata, tensors)
  return {
    bytes: tensors.reduce((sum, tensor) => sum + byteLength(tensor), header.length),
    *blocks() {
      yield header
      for (const tensor of inFileOrder(tensors)) yield* tensor.blocks()
    },
  }
}
