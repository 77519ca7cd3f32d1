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
function widenAndAdd<Stored>(
  out: usize,
  table: usize,
  ids: usize,
  rows: u32,
  dim: u32,
  positions: usize,
  positionType: i32,
  t: u32,
  contextLength: u32,
): void {
  if (positionType === FLOAT32)
    sumRows<f32, Stored, f32>(out, table, ids, rows, dim, positions, t, contextLength)
  else if (positionType === FLOAT16)
    sumRows<f32, Stored, Float16>(out, table, ids, rows, dim, positions, t, contextLength)
  else sumRows<f32, Stored, Bfloat16>(out, table, ids, rows, dim, positions, t, contextLength)
}

export function embedRows(
  out: usize,
  table: usize,
  tableType: i32,
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
    if (tableType === FLOAT32) copyRows(out, table, ids, rows, 4 * dim)
    else if (tableType === FLOAT16) sumRows<f32, Float16, None>(out, table, ids, rows, dim, 0, 0, 0)
    else sumRows<f32, Bfloat16, None>(out, table, ids, rows, dim, 0, 0, 0)
    return
  }
  const t = firstRow % contextLength
  const start = positions + <usize>positionStart * dim * (positionType === FLOAT32 ? 4 : 2)
  if (tableType === FLOAT32)
    widenAndAdd<f32>(out, table, ids, rows, dim, start, positionType, t, contextLength)
  else if (tableType === FLOAT16)
    widenAndAdd<Float16>(out, table, ids, rows, dim, start, positionType, t, contextLength)
  else widenAndAdd<Bfloat16>(out, table, ids, rows, dim, start, positionType, t, contextLength)
}

// @inline
function addAndNarrow<Out>(
  out: usize,
  table: usize,
  ids: usize,
  rows: u32,
  dim: u32,
  positions: usize,
  positionStart: u32,
  firstRow: u32,
  contextLength: u32,
): void {
  if (positions === 0) sumRows<Out, f32, None>(out, table, ids, rows, dim, 0, 0, 0)
  else {
    const start = positions + <usize>positionStart * 4 * dim
    sumRows<Out, f32, f32>(out, table, ids, rows, dim, start, firstRow % contextLength, contextLength)
  }
}

export function embedRowsFloat16(
  out: usize,
  table: usize,
  ids: usize,
  rows: u32,
  dim: u32,
  positions: usize,
  positionStart: u32,
  firstRow: u32,
  contextLength: u32,
): void {
  addAndNarrow<Float16>(out, table, ids, rows, dim, positions, positionStart, firstRow, contextLength)
}

export function embedRowsBfloat16(
  out: usize,
  table: usize,
  ids: usize,
  rows: u32,
  dim: u32,
  positions: usize,
  positionStart: u32,
  firstRow: u32,
  contextLength: u32,
): void {
  addAndNarrow<Bfloat16>(out, table, ids, rows, dim, positions, positionStart, firstRow, contextLength)
}
