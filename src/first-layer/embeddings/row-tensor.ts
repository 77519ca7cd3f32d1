import type { Drawn } from '../random/drawn.js'
import { elementCount, type FloatDtype, type FloatTensor, ITEM_BYTES } from '../tensors/named-tensor.js'
import { addRows } from './architectures/row-steps.js'
import { type AddedPositions, lookUp, numbersIn, positionIndices, type Table } from './op.js'
import { MAX_BLOCK_ROWS, type Workspace } from './workspace.js'

/** Most rows of a run of the op: finding a row's window may take a search. */
const STEP_ROWS = 1 << 13
/** Runs after which a block ends, full or not: a few milliseconds. */
const MOST_RUNS = 8
/** Most elements of a run where rows are not only looked up but also worked on. */
const STEP_ELEMENTS = 1 << 16
/** The steps of rows whose positions are added by row ids: the op adds only those of whole windows. */
const ADDED_ALONE = ['positions'] as const
/** Multiplications that take about as long as another work of the layer takes for an element. */
const PROJECTED_AT_ONCE = 16

/** Rows that the op can add for a range of the flattened [B, T]. */
interface PreparedPositions {
  readonly positions: Table
  /** Row of `positions` for a window's first token; below zero where `positions` starts later in the window. */
  readonly positionStart: number
  /** How many of the requested rows are ready; 0: none yet, call `prepare` again in another step. */
  readonly count: number
  /** The row of `positions` for each of them; absent: by their places in windows, from `positionStart` on. */
  readonly rowIds?: Int32Array | undefined
}

/** The position rows of one stream: [T, C] of them, the same for each window, or for each segment of a packed one. */
export interface PositionRows {
  /**
   * Makes the rows `first … first + count − 1` of the flattened [B, T] ready, or as many of them as one step can.
   */
  prepare(first: number, count: number): PreparedPositions
  dispose(): void
}

/** Writes the places `first … first + out.length − 1` of the flattened [B, T], counted in their segments. */
export type FillPlaces = (out: Int32Array, first: number) => void

/** A tensor of looked-up rows: what is looked up, what is added, what is done to them. */
export interface RowSource {
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
  /** As of the tensor. */
  readonly drawn?: readonly Drawn[] | undefined
  readonly workBytes?: number | undefined
  /** Creates the position rows to add, for one stream. */
  positions?(): PositionRows
  /** The steps for the looked-up rows, in order. Absent: lookup and addition of positions are one pass. */
  readonly steps?: readonly LayerWork[] | undefined
  /** Rounds the input of each step to `dtype`, as PyTorch rounds after each operation; otherwise only the answer is rounded. */
  readonly roundsSteps?: boolean | undefined
}

/**
 * A step of a first layer: work in place on the `count` rows from `first` on of the flattened [B, T]; the addition of
 * the position rows; or a multiplication that changes the rows' width.
 */
export type LayerWork =
  | ((rows: Float32Array, first: number, count: number) => void)
  | 'positions'
  | Projection

/** A multiplication of rows [n, C] by a matrix [hidden, C]. */
export interface Projection {
  readonly hiddenSize: number
  /** Both arrays must be in the model's memory. @param out [n, hidden] */
  project(out: Float32Array, rows: Float32Array): void
}

/**
 * Rows of a table as a tensor whose elements flow as blocks: each is one run of the embedding op, usually a
 * block.
 */
export function rowTensor(source: RowSource, workspace: Workspace): FloatTensor {
  const { name, shape, dtype, drawn, workBytes } = source
  return { name, dtype, shape, drawn, workBytes, blocks: () => rowBlocks(source, workspace) }
}

/** Outside `rowTensor`: making a new generator function for each tensor would cost more than a small tensor. */
function* rowBlocks(source: RowSource, workspace: Workspace): Generator<Uint8Array, void, void> {
  const { shape, dtype } = source
  const dim = shape[shape.length - 1]
  const rowBytes = dim * ITEM_BYTES[dtype]
  const totalRows = elementCount(shape) / dim
  const fitting = Math.floor(workspace.blockBytes / (dim * Float32Array.BYTES_PER_ELEMENT))
  const mostRows = Math.min(fitting, MAX_BLOCK_ROWS, totalRows)
  const stepRows = rowsOfStep(source, dim)
  const { bytes, release } = workspace.lease(mostRows * rowBytes, rowBytes)
  const blockRows = bytes.byteLength / rowBytes
  const positions = source.positions?.()
  try {
    for (let first = 0; first < totalRows; ) {
      const count = Math.min(blockRows, totalRows - first)
      let done = 0
      for (let runs = 0; done < count && runs < MOST_RUNS; runs++) {
        const wanted = Math.min(stepRows, count - done)
        const prepared = positions?.prepare(first + done, wanted)
        const part = prepared?.count ?? wanted
        const out = bytes.subarray(done * rowBytes, (done + part) * rowBytes)
        if (part > 0) makeRows(source, workspace, prepared, first + done, part, out)
        done += part
      }
      yield bytes.subarray(0, done * rowBytes) // none, where positions take long
      first += done
    }
  } finally {
    positions?.dispose()
    release()
  }
}

/** Rows of a run: one that projects costs C × hidden operations a row. */
function rowsOfStep({ steps, table }: RowSource, dim: number): number {
  if (steps === undefined) return STEP_ROWS
  const width = table.tensor.shape[1]
  const cost = steps.some(isProjection) ? (dim * width) / PROJECTED_AT_ONCE : dim
  return Math.max(1, Math.min(STEP_ROWS, Math.floor(STEP_ELEMENTS / cost)))
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
  const steps = source.steps ?? (positions?.rowIds && ADDED_ALONE)
  const ids = workspace.ids.subarray(0, count)
  source.fillIds(ids, firstRow)
  if (steps === undefined) {
    const added = positions && addedPositions(positions, contextLength, firstRow)
    const length = count * table.tensor.shape[1]
    lookUp(numbersIn(out, dtype, length), table, ids, added, dtype)
    return
  }
  const rows = workedRows(source, steps, workspace, { ids, positions, firstRow, out })
  if (rows.buffer !== out.buffer || rows.byteOffset !== out.byteOffset)
    workspace.narrowRows(rows.length, dtype, out)
}

function addedPositions(
  { positions, positionStart }: PreparedPositions,
  contextLength: number,
  firstRow: number,
): AddedPositions {
  return { positions, positionStart, contextLength, firstRow }
}

interface Block {
  readonly ids: Int32Array
  readonly positions: PreparedPositions | undefined
  readonly firstRow: number
  readonly out: Uint8Array
}

/** The rows after all steps, float32: in `out`, where they are that wide and not projected, else in `workspace.rows`. */
function workedRows(
  { table, dtype, contextLength, roundsSteps = false }: RowSource,
  steps: readonly LayerWork[],
  workspace: Workspace,
  { ids, positions, firstRow, out }: Block,
): Float32Array {
  const count = ids.length
  const length = count * table.tensor.shape[1]
  let rows = workspace.rows.subarray(0, length)
  if (steps.some(isProjection)) rows = workspace.unprojected.subarray(0, length)
  else if (dtype === 'float32') rows = new Float32Array(out.buffer, out.byteOffset, length)

  const rounded = roundsSteps && dtype !== 'float32' ? dtype : undefined
  const isExact = rounded === undefined || positions?.positions.dtype === rounded
  const isAddedFirst = steps[0] === 'positions' && isExact && positions?.rowIds === undefined
  const added = isAddedFirst && positions ? addedPositions(positions, contextLength, firstRow) : undefined
  lookUp(rows, table, ids, added)
  for (const step of isAddedFirst ? steps.slice(1) : steps) {
    if (rounded !== undefined) workspace.roundRows(rows, rounded)
    if (typeof step === 'function') step(rows, firstRow, count)
    else if (isProjection(step)) {
      const projected = workspace.rows.subarray(0, count * step.hiddenSize)
      step.project(projected, rows)
      rows = projected
    } else if (positions !== undefined) {
      const rowIds =
        positions.rowIds ?? positionIndices(count, positions.positionStart, contextLength, firstRow)
      const addends = workspace.addends.subarray(0, rows.length)
      lookUp(addends, positions.positions, rowIds)
      if (!isExact) workspace.roundRows(addends, rounded)
      addRows(rows, addends)
    }
  }
  return rows
}

function isProjection(step: LayerWork): step is Projection {
  return typeof step === 'object'
}
