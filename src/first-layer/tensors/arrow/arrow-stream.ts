import type { Blocks } from '../../steps.js'
import { byteLength, type Dtype, ITEM_BYTES, type NamedTensor, type TensorInfo } from '../named-tensor.js'
import {
  type ArrowField,
  type ArrowType,
  type BatchLayout,
  batchMessage,
  END_OF_STREAM,
  padded,
  paddingOf,
  schemaMessage,
} from './messages.js'

/** Tensors as one stream of Arrow's IPC, as `pyarrow.ipc.open_stream` and its kin read it. */
export interface ArrowStream {
  readonly bytes: number
  /** The stream from its beginning, each time anew. */
  blocks(): Blocks
}

/**
 * Tensors side by side, each a column; their first axes must agree. float32 [8, 4, 256] is a column of 8 rows, each a
 * fixed-size list of 4 fixed-size lists of 256 float32, row-major. All is one record batch without nulls, whose buffers are the
 * tensors' bytes.
 *
 * @param metadata of the schema
 */
export function arrowStream(
  metadata: Readonly<Record<string, string | undefined>>,
  tensors: readonly NamedTensor[],
): ArrowStream {
  const pairs = Object.entries(metadata).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const before = Buffer.concat([arrowSchema(tensors, pairs), batchMessage(layoutOf(tensors))])
  const bodyBytes = tensors.reduce((sum, tensor) => sum + padded(byteLength(tensor)), 0)
  return {
    bytes: before.length + bodyBytes + END_OF_STREAM.length,
    *blocks() {
      yield before
      for (const tensor of tensors) {
        yield* tensor.blocks()
        const padding = paddingOf(byteLength(tensor))
        if (padding.length > 0) yield padding
      }
      yield END_OF_STREAM
    },
  }
}

/** The message that begins a stream of these tensors, as Parquet files have it too (`ARROW:schema`). */
export function arrowSchema(
  tensors: readonly TensorInfo[],
  metadata: readonly (readonly [key: string, value: string])[] = [],
): Buffer {
  return schemaMessage(tensors.map(fieldOf), metadata)
}

function fieldOf({ name, dtype, shape }: TensorInfo): ArrowField {
  const wrap = (element: ArrowType, size: number): ArrowType => ({ kind: 'fixedSizeList', size, element })
  return { name, type: shape.slice(1).reduceRight(wrap, elementOf(dtype)) }
}

function elementOf(dtype: Dtype): ArrowType {
  return { kind: dtype.startsWith('int') ? 'int' : 'float', bytes: ITEM_BYTES[dtype] }
}

/** A field for each axis: [8, 4, 256] has 8, 32 and 8192 elements. */
function layoutOf(tensors: readonly TensorInfo[]): BatchLayout {
  const fields: number[] = []
  const buffers: number[] = []
  for (const tensor of tensors) {
    let length = 1
    for (const axis of tensor.shape) {
      length *= axis
      fields.push(length)
      buffers.push(0) // of each field: which elements are null
    }
    buffers.push(byteLength(tensor))
  }
  return { rows: tensors[0]!.shape[0]!, fields, buffers }
}
