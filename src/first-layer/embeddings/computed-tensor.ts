import { type Blocks, PAUSE } from '../steps.js'
import {
  type AskedDtypes,
  type Dtype,
  elementCount,
  ITEM_BYTES,
  type NamedTensor,
  servedDtype,
} from '../tensors/named-tensor.js'
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

/** A tensor whose elements are computed block by block, in the types that are asked for. */
export function computedTensor(
  source: ComputedSource,
  asked: AskedDtypes,
  workspace: Workspace,
): NamedTensor {
  const { name, shape } = source
  const dtype = servedDtype(source.dtype, asked)
  const prepare = preparation(source)
  return {
    name,
    dtype,
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
  dtype: Dtype,
  workspace: Workspace,
  prepare: Preparing['prepare'],
): Blocks {
  if (prepare !== undefined) yield* prepare()
  const total = elementCount(source.shape)
  const itemBytes = ITEM_BYTES[dtype]
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
  dtype: Dtype,
  workspace: Workspace,
  out: Uint8Array,
  start: number,
  count: number,
): void {
  if (dtype === 'int32') {
    source.fill(new Int32Array(out.buffer, out.byteOffset, count), start)
  } else if (dtype === 'int64') {
    // The int32 lie in the second half of their own place: element i is read before it is written over.
    const words = new Int32Array(out.buffer, out.byteOffset, 2 * count)
    source.fill(words.subarray(count), start)
    for (let i = 0; i < count; i++) {
      const id = words[count + i]
      words[2 * i] = id
      words[2 * i + 1] = id >> 31
    }
  } else if (dtype === 'float32') {
    source.fill(new Float32Array(out.buffer, out.byteOffset, count), start)
  } else {
    source.fill(workspace.rows.subarray(0, count), start)
    workspace.narrowRows(count, dtype, out)
  }
}
