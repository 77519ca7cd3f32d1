import { type Blocks, PAUSE } from '../steps.js'
import { elementCount, type FloatDtype, ITEM_BYTES, type NamedTensor } from '../tensors/named-tensor.js'
import { type Preparing, preparation } from './preparation.js'
import { StepLength } from './step-length.js'
import type { Workspace } from './workspace.js'

/** Most elements of a block. */
const BLOCK_ELEMENTS = 1 << 16
/** Elements of the first step: an element can cost a sine, or a search among documents. */
const FIRST_ELEMENTS = 1 << 10

/** How a tensor's elements are made: `fill(out, start)` writes the row-major elements from `start` on. */
export interface ComputedSource extends Preparing {
  readonly name: string
  readonly dtype: 'int32' | 'float32'
  readonly shape: readonly number[]
  fill(out: Float32Array | Int32Array, start: number): void
}

/** A tensor whose elements are computed block by block; floats are narrowed to `dtype`. */
export function computedTensor(source: ComputedSource, dtype: FloatDtype, workspace: Workspace): NamedTensor {
  const { name, shape } = source
  const prepare = preparation(source)
  return {
    name,
    dtype: source.dtype === 'float32' ? dtype : 'int32',
    shape,
    prepare,
    blocks: () => computedBlocks(source, dtype, workspace, prepare),
  }
}

/**
 * Outside `computedTensor`: making a new generator function for each tensor would cost more than a small tensor.
 */
function* computedBlocks(
  source: ComputedSource,
  dtype: FloatDtype,
  workspace: Workspace,
  prepare: Preparing['prepare'],
): Blocks {
  if (prepare !== undefined) yield* prepare()
  const total = elementCount(source.shape)
  const itemBytes = ITEM_BYTES[source.dtype === 'float32' ? dtype : 'int32']
  const length = new StepLength(FIRST_ELEMENTS, BLOCK_ELEMENTS)
  yield PAUSE // wait before leasing a buffer, not after
  const { bytes, release } = workspace.lease(Math.min(total, BLOCK_ELEMENTS) * itemBytes, itemBytes)
  const blockElements = bytes.byteLength / itemBytes
  let hasBegun = false
  try {
    for (let start = 0; start < total; start += blockElements) {
      const count = Math.min(blockElements, total - start)
      for (let done = 0; done < count; ) {
        if (hasBegun) yield PAUSE
        hasBegun = true
        const part = length.begin(count - done)
        const out = bytes.subarray(done * itemBytes, (done + part) * itemBytes)
        fillPart(source, dtype, workspace, out, start + done, part)
        length.end()
        done += part
      }
      yield bytes.subarray(0, count * itemBytes)
    }
  } finally {
    release()
  }
}

/** The elements `start … start + count − 1` into `out`. */
function fillPart(
  source: ComputedSource,
  dtype: FloatDtype,
  workspace: Workspace,
  out: Uint8Array,
  start: number,
  count: number,
): void {
  if (source.dtype === 'int32') {
    source.fill(new Int32Array(out.buffer, out.byteOffset, count), start)
  } else if (dtype === 'float32') {
    source.fill(new Float32Array(out.buffer, out.byteOffset, count), start)
  } else {
    source.fill(workspace.rows.subarray(0, count), start)
    workspace.narrowRows(count, dtype, out)
  }
}
