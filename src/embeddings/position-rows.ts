import { engine, type Tensor2D } from '@tensorflow/tfjs-core'

/** Elements of computed rows that one stream keeps: 16 MiB, GPT-2's whole 1024 × 768 table five times. */
const KEPT_ELEMENTS = 1 << 22
/** Elements computed in one turn of the event loop: an element can cost a sine. */
const TURN_ELEMENTS = 1 << 16

/** Rows that the op can add for a range of the flattened [B, T]. */
export interface PreparedPositions {
  readonly positions: Tensor2D
  /** Row of `positions` for a window's first token; below zero where `positions` starts later in the window. */
  readonly positionStart: number
  /** How many of the rows asked for are there. */
  readonly count: number
}

/** The position rows of one stream: [T, C] of them, the same for each window. */
export interface PositionRows {
  /** Makes the rows `first … first + count − 1` of the flattened [B, T] ready, or as many of them as fit. */
  prepare(first: number, count: number): PreparedPositions
  dispose(): void
}

/** Rows of a table: from `firstRow` on. */
export function rowsOfTable(table: Tensor2D, firstRow: number): PositionRows {
  return {
    prepare: (_first, count) => ({ positions: table, positionStart: firstRow, count }),
    dispose() {},
  }
}

/**
 * Rows that are computed: `fill(out, start)` writes the row-major elements of [T, C] from `start` on. They are
 * kept for the next windows where [T, C] is small, computed again for each block where it is not.
 */
export function computedRows(
  fill: (out: Float32Array, start: number) => void,
  contextLength: number,
  dim: number,
): PositionRows {
  const total = contextLength * dim
  const rowsInTurn = Math.max(1, Math.floor(TURN_ELEMENTS / dim))
  return total <= KEPT_ELEMENTS ? keptRows() : freshRows()

  function keptRows(): PositionRows {
    const values = new Float32Array(total)
    let positions = tensorOver(values, 0)
    let filledRows = 0
    return {
      prepare(first, count) {
        const column = first % contextLength
        const needed = Math.min(column + count, contextLength)
        if (needed <= filledRows) return { positions, positionStart: 0, count }
        const upTo = Math.min(needed, filledRows + rowsInTurn)
        fill(values.subarray(filledRows * dim, upTo * dim), filledRows * dim)
        filledRows = upTo
        positions.dispose()
        positions = tensorOver(values, filledRows)
        return { positions, positionStart: 0, count: upTo < needed ? upTo - column : count }
      },
      dispose: () => positions.dispose(),
    }
  }

  function freshRows(): PositionRows {
    const values = new Float32Array(rowsInTurn * dim)
    let positions = tensorOver(values, rowsInTurn)
    return {
      prepare(first, count) {
        const column = first % contextLength
        const rows = Math.min(count, contextLength - column, rowsInTurn)
        fill(values.subarray(0, rows * dim), column * dim)
        positions.dispose()
        positions = tensorOver(values, rowsInTurn)
        return { positions, positionStart: -column, count: rows }
      },
      dispose: () => positions.dispose(),
    }
  }

  // A tensor anew for each change: a backend may have copied what the last one stood for.
  function tensorOver(values: Float32Array, rows: number): Tensor2D {
    return engine().makeTensor(values.subarray(0, rows * dim), [rows, dim], 'float32') as Tensor2D
  }
}
