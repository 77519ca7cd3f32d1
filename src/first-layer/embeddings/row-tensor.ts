import type { Drawn } from '../random/drawn.js'
import { elementCount, type FloatDtype, type FloatTensor, ITEM_BYTES } from '../tensors/named-tensor.js'
import { addRows } from './architectures/row-steps.js'
import { madeBlocks } from './computed-tensor.js'
import { type AddedPositions, lookUp, numbersIn, positionIndices, type Table } from './op.js'
import type { Workspace } from './workspace.js'

/** Most rows of a run of the op: finding a row's window may take a search. */
const RUN_ROWS = 1 << 13
/** Most elements of a run where rows are not only looked up but also worked on, or added to computed ones. */
export const RUN_ELEMENTS = 1 << 16
/** Multiplications that take about as long as another work of the layer takes for an element. */
const PROJECTED_AT_ONCE = 16

/** Position rows for a range of the flattened [B, T]. */
interface RangePositions extends AddedPositions {
  /** The row of `positions` for each of them. Absent: by their places in windows, which the op itself can add. */
  readonly rowIds?: Int32Array | undefined
}

/** The position rows of one stream. */
export interface PositionRows {
  readonly areComputed?: boolean
  /** Makes those of the rows `first … first + count − 1` of the flattened [B, T] ready. */
  prepare(first: number, count: number): RangePositions
  dispose?(): void
}

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
  /** The steps for the looked-up rows, in order. Absent: positions are added, if there are any. */
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

const ADDED_ALONE: readonly LayerWork[] = ['positions']

/** Rows of a table as a tensor whose elements flow as blocks: each is one run of the embedding op, or of steps. */
export function rowTensor(source: RowSource, workspace: Workspace): FloatTensor {
  const { name, shape, dtype, drawn, workBytes } = source
  const dim = shape[shape.length - 1]
  const bytes = dim * ITEM_BYTES[dtype]
  const total = elementCount(shape) / dim
  const blocks = () => {
    const positions = source.positions?.()
    const most = mostRows(source, dim, positions, workspace)
    const make = (out: Uint8Array, first: number, count: number) =>
      makeRows(source, workspace, positions?.prepare(first, count), first, count, out)
    return madeBlocks(workspace, { total, bytes, most }, make, positions?.dispose)
  }
  return { name, dtype, shape, drawn, workBytes, blocks }
}

/** Rows of a block: one that projects costs C × hidden operations a row. */
function mostRows(
  { steps, table }: RowSource,
  dim: number,
  positions: PositionRows | undefined,
  { blockBytes }: Workspace,
): number {
  const fitting = Math.min(RUN_ROWS, Math.floor(blockBytes / (dim * Float32Array.BYTES_PER_ELEMENT)))
  if ((steps === undefined || isLookup(steps)) && !positions?.areComputed) return fitting
  const cost = steps?.some(isProjection) ? (dim * table.tensor.shape[1]) / PROJECTED_AT_ONCE : dim
  return Math.max(1, Math.min(fitting, Math.floor(RUN_ELEMENTS / cost)))
}

/** Writes the rows `firstRow … firstRow + count − 1` to `out`: looked up, worked on, narrowed. */
function makeRows(
  { dtype, table, steps = ADDED_ALONE, fillIds, roundsSteps }: RowSource,
  workspace: Workspace,
  positions: RangePositions | undefined,
  firstRow: number,
  count: number,
  out: Uint8Array,
): void {
  const between = roundsSteps ? dtype : 'float32' // to which rows are rounded
  const isRight = positions === undefined || between === 'float32' || positions.positions.dtype === between
  const ids = workspace.ids.subarray(0, count)
  fillIds(ids, firstRow)
  const length = count * table.tensor.shape[1]
  if (isLookup(steps) && positions?.rowIds === undefined && isRight) {
    lookUp(numbersIn(out, dtype, length), table, ids, positions, dtype)
    return
  }
  let rows = (steps.some(isProjection) ? workspace.unprojected : workspace.rows).subarray(0, length)
  lookUp(rows, table, ids)
  for (const step of steps) {
    workspace.roundRows(rows, between)
    if (typeof step === 'function') step(rows, firstRow, count)
    else if (isProjection(step)) {
      const projected = workspace.rows.subarray(0, out.byteLength / ITEM_BYTES[dtype])
      step.project(projected, rows)
      rows = projected
    } else if (positions !== undefined) {
      const addends = workspace.addends.subarray(0, rows.length)
      lookUp(addends, positions.positions, positions.rowIds ?? positionIndices(count, positions))
      if (!isRight) workspace.roundRows(addends, between)
      addRows(rows, addends)
    }
  }
  workspace.narrowRows(rows.length, dtype, out)
}

/** Whether nothing is done to looked-up rows but the addition of positions, which the op itself can do. */
export function isLookup(steps: readonly unknown[]): boolean {
  for (const step of steps) if (step !== 'positions') return false
  return true
}

function isProjection(step: LayerWork): step is Projection {
  return typeof step === 'object'
}
