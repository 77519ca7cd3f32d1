import type { Drawn } from '../random/drawn.js'
import {
  type AskedDtypes,
  elementCount,
  type IdsDtype,
  ITEM_BYTES,
  type NamedTensor,
  servedDtype,
} from '../tensors/named-tensor.js'
import type { BlockPool, Workspace } from './workspace.js'

/** Elements of a block: an element can cost a sine, or a search among documents. */
const BLOCK_ELEMENTS = 1 << 16

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

/** A tensor whose elements are computed block by block, in the types that are asked for. */
export function computedTensor(
  source: ComputedSource,
  asked: AskedDtypes,
  workspace: Workspace,
): NamedTensor {
  const { name, shape, drawn } = source
  const dtype = servedDtype(source.dtype, asked)
  if (dtype === 'int32' || dtype === 'int64')
    return { ...idTensor(source, dtype, workspace), drawn: drawn && [drawn] }
  const make = (out: Uint8Array, start: number, count: number) => {
    if (dtype === 'float32') {
      source.fill(new Float32Array(out.buffer, out.byteOffset, count), start)
    } else {
      source.fill(workspace.rows.subarray(0, count), start)
      workspace.narrowRows(count, dtype, out)
    }
  }
  const units = { total: elementCount(shape), bytes: ITEM_BYTES[dtype], most: BLOCK_ELEMENTS }
  return { name, dtype, shape, drawn: drawn && [drawn], blocks: () => madeBlocks(workspace, units, make) }
}

/** A tensor of int32 numbers that are computed block by block, as `int32` or `int64`. */
export function idTensor({ name, shape, fill }: IdSource, dtype: IdsDtype, pool: BlockPool): NamedTensor {
  const make = (out: Uint8Array, start: number, count: number) => {
    const words = new Int32Array(out.buffer, out.byteOffset, out.byteLength / 4)
    if (dtype === 'int32') {
      fill(words, start)
      return
    }
    // The int32 are in the second half of the int64’s memory: element i is read before it is overwritten.
    fill(words.subarray(count), start)
    for (let i = 0; i < count; i++) {
      const id = words[count + i]
      words[2 * i] = id
      words[2 * i + 1] = id >> 31
    }
  }
  const units = { total: elementCount(shape), bytes: ITEM_BYTES[dtype], most: BLOCK_ELEMENTS }
  return { name, dtype, shape, blocks: () => madeBlocks(pool, units, make) }
}

/** What a tensor is made of, one after the other: elements, rows, or all rows of a token. */
interface Units {
  readonly total: number
  /** Bytes of one. */
  readonly bytes: number
  /** Most of a block. */
  readonly most: number
}

/** Blocks in a leased buffer. @param make writes the units `first … first + count − 1` to `out` */
export function* madeBlocks(
  pool: BlockPool,
  { total, bytes: unit, most }: Units,
  make: (out: Uint8Array, first: number, count: number) => void,
  end?: () => void,
): Generator<Uint8Array, void, void> {
  const { bytes, release } = pool.lease(Math.min(total, most) * unit, unit)
  const atOnce = bytes.byteLength / unit
  try {
    for (let first = 0; first < total; first += atOnce) {
      const count = Math.min(atOnce, total - first)
      const out = bytes.subarray(0, count * unit)
      make(out, first, count)
      yield out
    }
  } finally {
    end?.()
    release()
  }
}
