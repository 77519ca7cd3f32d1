// Rows of a table plus position rows; parameters as in `Kernels` (kernels.ts). Pointers are unsigned: a memory may have
// 4 GiB.

import { copyRows } from './copy-rows'
import { Bfloat16, Float16 } from './stored'
import { None, sumRows } from './sum-rows'

// Values of `STORAGE` in kernels.ts; any other value means bfloat16.
const FLOAT32 = 0
const FLOAT16 = 1

/** Turns the positions' storage type into a type parameter, so that the compiler makes a loop for each combination. */
// @inline
function addPositions<Stored>(
  out: usize,
  table: usize,
  ids: usize,
  rows: u32,
  dim: u32,
  positions: usize,
  positionType: i32,
  positionStart: u32,
  firstRow: u32,
  contextLength: u32,
): void {
  if (positions === 0) {
    if (isFloat<Stored>()) copyRows(out, table, ids, rows, 4 * dim)
    else sumRows<Stored, None>(out, table, ids, rows, dim, 0, 0, 0)
    return
  }
  const t = firstRow % contextLength
  const first = <usize>positionStart * dim
  if (positionType === FLOAT32)
    sumRows<Stored, f32>(out, table, ids, rows, dim, positions + 4 * first, t, contextLength)
  else if (positionType === FLOAT16)
    sumRows<Stored, Float16>(out, table, ids, rows, dim, positions + 2 * first, t, contextLength)
  else sumRows<Stored, Bfloat16>(out, table, ids, rows, dim, positions + 2 * first, t, contextLength)
}

export function embedRows(
  out: usize,
  table: usize,
  tableType: i32,
  ids: usize,
  rows: u32,
  dim: u32,
  positions: usize,
  type: i32,
  start: u32,
  firstRow: u32,
  length: u32,
): void {
  if (tableType === FLOAT32)
    addPositions<f32>(out, table, ids, rows, dim, positions, type, start, firstRow, length)
  else if (tableType === FLOAT16)
    addPositions<Float16>(out, table, ids, rows, dim, positions, type, start, firstRow, length)
  else addPositions<Bfloat16>(out, table, ids, rows, dim, positions, type, start, firstRow, length)
}
