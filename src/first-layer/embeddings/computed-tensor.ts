import { type Blocks, PAUSE, type Steps } from '../steps.js'
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
/** Elements of the first step: an element can cost a sine, or a search among documents. */
const FIRST_ELEMENTS = 1 << 10

/** How a tensor's elements are made: `fill(out, start)` writes the row-major elements from `start` on. */
interface ComputedSource extends Preparing {
  readonly name: string
  readonly dtype: 'int32' | 'float32'
  readonly shape: readonly number[]
  fill(out: Float32Array | Int32Array, start: number): void
}

/** The same for ids, masks, positions and indices, which need no model. */
export interface IdSource extends Preparing {
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
  return declared(source, dtype, pool, dtype === 'int32' ? inWords(source) : inLongWords(source))
}

function inWords(source: IdSource): FillPart {
  return (out, start, count) => source.fill(new Int32Array(out.buffer, out.byteOffset, count), start)
}

function inLongWords(source: IdSource): FillPart {
  return (out, start, count) => {
    // The int32 are in the second half of the int64’s memory: element i is read before it is overwritten.
    const words = new Int32Array(out.buffer, out.byteOffset, 2 * count)
    source.fill(words.subarray(count), start)
    for (let i = 0; i < count; i++) {
      const id = words[count + i]
      words[2 * i] = id
      words[2 * i + 1] = id >> 31
    }
  }
}

function declared(
  source: IdSource | ComputedSource,
  dtype: Dtype,
  pool: BlockPool,
  fill: FillPart,
): NamedTensor {
  const { name, shape } = source
  const prepare = preparation(source)
  return { name, dtype, shape, prepare, blocks: () => computedBlocks(shape, dtype, pool, prepare, fill) }
}

/** Outside `declared`: making a new generator function for each tensor would cost more than a small tensor. */
function* computedBlocks(
  shape: readonly number[],
  dtype: Dtype,
  pool: BlockPool,
  prepare: Preparing['prepare'],
  fill: FillPart,
): Blocks {
  if (prepare !== undefined) yield* prepare()
  const total = elementCount(shape)
  const itemBytes = ITEM_BYTES[dtype]
  const length = new StepLength(FIRST_ELEMENTS, BLOCK_ELEMENTS)
  yield PAUSE // wait before leasing a buffer, not after
  const { bytes, release } = pool.lease(Math.min(total, BLOCK_ELEMENTS) * itemBytes, itemBytes)
  const blockElements = bytes.byteLength / itemBytes
  let hasBegun = false
  try {
    for (let start = 0; start < total; start += blockElements) {
      const count = Math.min(blockElements, total - start)
      for (let done = 0; done < count; ) {
        if (hasBegun) yield PAUSE
        hasBegun = true
        const part = length.begin(count - done)
        fill(bytes.subarray(done * itemBytes, (done + part) * itemBytes), start + done, part)
        length.end()
        done += part
      }
      yield bytes.subarray(0, count * itemBytes)
    }
  } finally {
    release()
  }
}

/** Something that needs long work or much memory before a tensor's first element. */
export interface Preparing {
  /** Does the work, and reserves its memory. Run it before the first element. */
  readonly prepare?: (() => Steps<void>) | undefined
}

/** The preparation for one caller. However often the caller runs it, its work is done once. */
export function preparation({ prepare }: Preparing): Preparing['prepare'] {
  if (prepare === undefined) return undefined
  let isDone = false
  return function* () {
    if (isDone) return
    yield* prepare()
    isDone = true
  }
}

/** The preparation of a tensor that is made from two things; undefined where neither needs one. */
export function bothPrepare(
  first: Preparing | undefined,
  second: Preparing | undefined,
): Preparing['prepare'] {
  if (first?.prepare === undefined) return second?.prepare
  if (second?.prepare === undefined) return first.prepare
  const [one, other] = [first.prepare, second.prepare]
  return function* () {
    yield* one()
    yield* other()
  }
}

/** After a step shorter than SHORT_MS the length doubles, after one longer than LONG_MS it halves. */
const SHORT_MS = 0.2
const LONG_MS = 0.6

/**
 * Cuts work on many items into steps of about equal time, whether an item costs a copied number or a sine:
 *
 * `while (left > 0) { yield PAUSE; const n = length.begin(left); …; length.end(); left -= n }`
 */
export class StepLength {
  #length: number
  #began = 0

  /**
   * @param first items of the first step: must take well below a millisecond even if items are slow
   * @param most items of any step
   */
  constructor(
    private readonly first: number,
    private readonly most: number,
  ) {
    this.#length = Math.min(first, most)
  }

  /** How many of the `left` remaining items the step that begins now takes. */
  begin(left: number): number {
    if (left > this.first) this.#began = performance.now() // otherwise no step follows whose length matters
    return Math.min(this.#length, left)
  }

  end(): void {
    if (this.#began === 0) return
    const took = performance.now() - this.#began
    this.#began = 0
    if (took < SHORT_MS) this.#length = Math.min(this.#length * 2, this.most)
    else if (took > LONG_MS) this.#length = Math.max(this.#length >> 1, 1)
  }
}
