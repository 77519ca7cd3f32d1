import type { Drawn } from '../random/drawn.js'
import {
  type AskedDtypes,
  type Dtype,
  elementCount,
  type IdsDtype,
  ITEM_BYTES,
  type NamedTensor,
  servedDtype,
} from '../tensors/named-tensor.js'
import type { BlockPool, Workspace } from './workspace.js'

const BLOCK_ELEMENTS = 1 << 16
/** Elements made at a time: an element can cost a sine, or a search among documents. */
const STEP_ELEMENTS = 1 << 13

/** How a tensor's elements are made: `fill(out, start)` writes the row-major elements from `start` on. */
interface ComputedSource {
  readonly name: string
  readonly dtype: 'int32' | 'float32'
  readonly shape: readonly number[]
  readonly drawn?: Drawn | undefined
  fill(out: Float32Array | Int32Array, start: number): void
}

/** The same for ids, masks, positions and indices, which need no model. */
export interface IdSource {
  readonly name: string
  readonly shape: readonly number[]
  fill(out: Int32Array, start: number): void
}

/** Writes the elements `start … start + count − 1` of a tensor to `out`. */
type FillPart = (out: Uint8Array, start: number, count: number) => void

/** A tensor whose elements are computed block by block, in the types that are asked for. */
export function computedTensor(
  source: ComputedSource,
  asked: AskedDtypes,
  workspace: Workspace,
): NamedTensor {
  const dtype = servedDtype(source.dtype, asked)
  if (dtype === 'int32' || dtype === 'int64') return idTensor(source, dtype, workspace)
  return declared(source, dtype, workspace, (out, start, count) => {
    if (dtype === 'float32') {
      source.fill(new Float32Array(out.buffer, out.byteOffset, count), start)
    } else {
      source.fill(workspace.rows.subarray(0, count), start)
      workspace.narrowRows(count, dtype, out)
    }
  })
}

/** A tensor of int32 numbers that are computed block by block, as `int32` or `int64`. */
export function idTensor(source: IdSource, dtype: IdsDtype, pool: BlockPool): NamedTensor {
  return declared(source, dtype, pool, (out, start, count) => {
    const words = new Int32Array(out.buffer, out.byteOffset, out.byteLength / 4)
    if (dtype === 'int32') {
      source.fill(words, start)
      return
    }
    // The int32 are in the second half of the int64’s memory: element i is read before it is overwritten.
    source.fill(words.subarray(count), start)
    for (let i = 0; i < count; i++) {
      const id = words[count + i]
      words[2 * i] = id
      words[2 * i + 1] = id >> 31
    }
  })
}

function declared(
  source: IdSource | ComputedSource,
  dtype: Dtype,
  pool: BlockPool,
  fill: FillPart,
): NamedTensor {
  const { name, shape } = source
  const drawn = 'drawn' in source && source.drawn !== undefined ? [source.drawn] : undefined
  return { name, dtype, shape, drawn, blocks: () => computedBlocks(shape, dtype, pool, fill) }
}

/** Outside `declared`: making a new generator function for each tensor would cost more than a small tensor. */
function* computedBlocks(
  shape: readonly number[],
  dtype: Dtype,
  pool: BlockPool,
  fill: FillPart,
): Generator<Uint8Array, void, void> {
  const total = elementCount(shape)
  const itemBytes = ITEM_BYTES[dtype]
  const { bytes, release } = pool.lease(Math.min(total, BLOCK_ELEMENTS) * itemBytes, itemBytes)
  const blockElements = bytes.byteLength / itemBytes
  try {
    for (let start = 0; start < total; start += blockElements) {
      const count = Math.min(blockElements, total - start)
      for (let done = 0; done < count; done += STEP_ELEMENTS) {
        const part = Math.min(STEP_ELEMENTS, count - done)
        fill(bytes.subarray(done * itemBytes, (done + part) * itemBytes), start + done, part)
      }
      yield bytes.subarray(0, count * itemBytes)
    }
  } finally {
    release()
  }
}
