import type { Drawn } from '../random/drawn.js'
import { elementCount, type FloatDtype, type FloatTensor, ITEM_BYTES } from '../tensors/named-tensor.js'
import { addRows } from './architectures/row-steps.js'
import { type AddedPositions, lookUp, numbersIn, positionIndices, type Table } from './op.js'
import { MAX_BLOCK_ROWS, type Workspace } from './workspace.js'

/** Most rows of a run of the op: finding a row's window may take a search. */
const RUN_ROWS = 1 << 13
/** Runs after which a block ends, full or not: a few milliseconds. */
const MOST_RUNS = 8
/** Most elements of a run where rows are not only looked up but also worked on, or added to computed ones. */
export const RUN_ELEMENTS = 1 << 16
/** Multiplications that take about as long as another work of the layer takes for an element. */
const PROJECTED_AT_ONCE = 16

/** Position rows for a range of the flattened [B, T]. */
interface RangePositions extends AddedPositions {
  /** The row of `positions` for each of them. Absent: by their places in windows, which the op itself can add. */
  readonly rowIds?: Int32Array | undefined
}

/** The position rows of one stream: [T, C] of them, the same for each window, or for each segment of a packed one. */
export interface PositionRows {
  readonly areComputed?: boolean
  /** Makes the rows `first … first + count − 1` of the flattened [B, T] ready. */
  prepare(first: number, count: number): RangePositions
  dispose?(): void
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
  /** Both arrays must be in the model's memory. @param out [n, hidden] */
  project(out: Float32Array, rows: Float32Array): void
}

/** Rows of a table as a tensor whose elements flow as blocks: each is one run of the embedding op, or some. */
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
  const { bytes, release } = workspace.lease(mostRows * rowBytes, rowBytes)
  const blockRows = bytes.byteLength / rowBytes
  const positions = source.positions?.()
  const runRows = rowsOfRun(source, dim, positions)
  try {
    for (let first = 0; first < totalRows; ) {
      const count = Math.min(blockRows, totalRows - first, runRows * MOST_RUNS)
      for (let done = 0; done < count; done += runRows) {
        const part = Math.min(runRows, count - done)
        const out = bytes.subarray(done * rowBytes, (done + part) * rowBytes)
        makeRows(source, workspace, positions?.prepare(first + done, part), first + done, part, out)
      }
      yield bytes.subarray(0, count * rowBytes)
      first += count
    }
  } finally {
    positions?.dispose?.()
    release()
  }
}

/** Rows of a run: one that projects costs C × hidden operations a row. */
function rowsOfRun({ steps = [], table }: RowSource, dim: number, positions?: PositionRows): number {
  if (steps.length === 0 && !positions?.areComputed) return RUN_ROWS
  const cost = steps.some(isProjection) ? (dim * table.tensor.shape[1]) / PROJECTED_AT_ONCE : dim
  return Math.max(1, Math.min(RUN_ROWS, Math.floor(RUN_ELEMENTS / cost)))
}

/** The op adds only the positions of whole windows; others are a step. */
const ADDED_ALONE = ['positions'] as const

/** Writes the rows `firstRow … firstRow + count − 1` to `out`: looked up, worked on, narrowed. */
function makeRows(
  source: RowSource,
  workspace: Workspace,
  positions: RangePositions | undefined,
  firstRow: number,
  count: number,
  out: Uint8Array,
): void {
  const { dtype, table } = source
  const steps = source.steps ?? (positions?.rowIds && ADDED_ALONE)
  const ids = workspace.ids.subarray(0, count)
  source.fillIds(ids, firstRow)
  const length = count * table.tensor.shape[1]
  if (steps === undefined) {
    lookUp(numbersIn(out, dtype, length), table, ids, positions, dtype)
    return
  }

  const rounded = source.roundsSteps && dtype !== 'float32' ? dtype : undefined
  let rows = (steps.some(isProjection) ? workspace.unprojected : workspace.rows).subarray(0, length)
  lookUp(rows, table, ids)
  for (const step of steps) {
    if (rounded !== undefined) workspace.roundRows(rows, rounded)
    if (typeof step === 'function') step(rows, firstRow, count)
    else if (isProjection(step)) {
      const projected = workspace.rows.subarray(0, out.byteLength / ITEM_BYTES[dtype])
      step.project(projected, rows)
      rows = projected
    } else if (positions !== undefined) {
      const addends = workspace.addends.subarray(0, rows.length)
      lookUp(addends, positions.positions, positions.rowIds ?? positionIndices(count, positions))
      if (rounded !== undefined && positions.positions.dtype !== rounded)
        workspace.roundRows(addends, rounded)
      addRows(rows, addends)
    }
  }
  workspace.narrowRows(rows.length, dtype, out)
}

function isProjection(step: LayerWork): step is Projection {
  return typeof step === 'object'
}
