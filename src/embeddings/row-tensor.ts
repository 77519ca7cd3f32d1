import { type Claim, UNBOUNDED } from '../load/claim.js'
import { elementCount, type FloatDtype, ITEM_BYTES, type NamedTensor } from '../named-tensor.js'
import { addRows } from './architectures/row-steps.js'
import { lookUp, positionIndices } from './op.js'
import type { PositionRows, PreparedPositions } from './position-rows.js'
import { type Preparing, preparation } from './preparation.js'
import { Steps } from './steps.js'
import { numbersIn, type Table } from './table.js'
import { MAX_BLOCK_ROWS, type Workspace } from './workspace.js'

/** Rows of the first step: finding a row's window may take a search. */
const FIRST_ROWS = 1 << 10
/** Elements of the first step where rows are not only looked up but also worked on. */
const FIRST_ELEMENTS = 1 << 14

/** A tensor of looked-up rows: what is looked up, what is added, what is done to them. */
export interface RowSource extends Preparing {
  readonly name: string
  /** Ends in C; the axes before it, flattened, are the rows. */
  readonly shape: readonly number[]
  readonly dtype: FloatDtype
  /** [V, C] */
  readonly table: Table
  /** T: the positions start again after every T rows. */
  readonly contextLength: number
  /** Writes the ids of the rows `first … first + ids.length − 1`. */
  fillIds(ids: Int32Array, first: number): void
  /** Position rows to add, made anew for each stream. */
  positions?(): PositionRows
  /**
   * An architecture's work on the token rows, before the positions are added. Absent: lookup and addition are one
   * pass.
   */
  beforePositions?(rows: Float32Array, first: number): void
  /** An architecture's work on the sums. */
  afterPositions?(rows: Float32Array, first: number): void
}

/**
 * Rows of a table as a tensor whose elements flow as blocks: each step is one run of the embedding op, usually a
 * block.
 *
 * @param claim of the request that the rows are for
 */
export function rowTensor(source: RowSource, workspace: Workspace, claim: Claim = UNBOUNDED): NamedTensor {
  const { name, shape, dtype } = source
  const prepare = preparation(source, claim)
  return { name, dtype, shape, prepare, blocks: () => rowBlocks(source, workspace, claim, prepare) }
}

/** Outside `rowTensor`: making a new generator function for each tensor would cost more than a small tensor. */
async function* rowBlocks(
  source: RowSource,
  workspace: Workspace,
  claim: Claim,
  prepare: (() => Promise<void>) | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  if (prepare !== undefined) await prepare()
  const { shape, dtype } = source
  const dim = shape[shape.length - 1]
  const rowBytes = dim * ITEM_BYTES[dtype]
  const totalRows = elementCount(shape) / dim
  const fitting = Math.floor(workspace.blockBytes / (dim * Float32Array.BYTES_PER_ELEMENT))
  const mostRows = Math.min(fitting, MAX_BLOCK_ROWS, totalRows)
  const steps = new Steps(firstRows(source, dim), mostRows, claim)
  if (steps.isOver) await steps.nextTurn() // wait before leasing a buffer, not after
  const { bytes, release } = workspace.lease(mostRows * rowBytes, rowBytes)
  const blockRows = bytes.byteLength / rowBytes
  const positions = source.positions?.()
  let hasBegun = false
  try {
    for (let first = 0; first < totalRows; first += blockRows) {
      const count = Math.min(blockRows, totalRows - first)
      for (let done = 0; done < count; ) {
        if (hasBegun && steps.isOver) await steps.nextTurn()
        hasBegun = true
        const wanted = steps.begin(count - done)
        const prepared = positions?.prepare(first + done, wanted)
        const part = prepared?.count ?? wanted
        const out = bytes.subarray(done * rowBytes, (done + part) * rowBytes)
        if (part > 0) makeRows(source, workspace, prepared, first + done, part, out)
        steps.end()
        done += part
      }
      yield bytes.subarray(0, count * rowBytes)
    }
  } finally {
    positions?.dispose()
    release()
  }
}

/** Whether no architecture step works on the rows: then the op itself writes them in the output's type. */
function isLookedUpOnly({ beforePositions, afterPositions }: RowSource): boolean {
  return beforePositions === undefined && afterPositions === undefined
}

function firstRows(source: RowSource, dim: number): number {
  if (isLookedUpOnly(source)) return FIRST_ROWS
  return Math.max(1, Math.min(FIRST_ROWS, Math.floor(FIRST_ELEMENTS / dim)))
}

/** Writes the rows `firstRow … firstRow + count − 1` to `out`: looked up, worked on, narrowed. */
function makeRows(
  source: RowSource,
  workspace: Workspace,
  positions: PreparedPositions | undefined,
  firstRow: number,
  count: number,
  out: Uint8Array,
): void {
  const { dtype, table, contextLength } = source
  const length = count * table.tensor.shape[1]
  const ids = workspace.ids.subarray(0, count)
  source.fillIds(ids, firstRow)
  if (isLookedUpOnly(source)) {
    const added = positions && { contextLength, firstRow, ...positions }
    lookUp(numbersIn(out, dtype, length), table, ids, added, dtype)
    return
  }
  const isWide = dtype === 'float32'
  const rows = isWide
    ? new Float32Array(out.buffer, out.byteOffset, length)
    : workspace.rows.subarray(0, length)
  sumRows(source, workspace, ids, positions, firstRow, rows)
  if (!isWide) workspace.narrowRows(length, dtype, out)
}

/** Token rows, positions, and the architecture's steps around them: float32 [n, C] into `rows`. */
function sumRows(
  source: RowSource,
  workspace: Workspace,
  ids: Int32Array,
  positions: PreparedPositions | undefined,
  firstRow: number,
  rows: Float32Array,
): void {
  const { table, contextLength } = source
  if (source.beforePositions === undefined) {
    lookUp(rows, table, ids, positions && { contextLength, firstRow, ...positions })
  } else {
    lookUp(rows, table, ids)
    source.beforePositions(rows, firstRow)
    if (positions !== undefined) {
      const places = positionIndices(ids.length, positions.positionStart, contextLength, firstRow)
      const addends = workspace.addends.subarray(0, rows.length)
      lookUp(addends, positions.positions, places)
      addRows(rows, addends)
    }
  }
  source.afterPositions?.(rows, firstRow)
}
