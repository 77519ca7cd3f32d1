// Rows of a table, and position rows added to them. Pointers are unsigned: a memory may have 4 GiB.

import { toBfloat16, toFloat16 } from './sixteen-bits'

const FLOAT32 = 0
const FLOAT16 = 1
const BFLOAT16 = 2

/** Bytes of rows that are called into the cache before any of them is used. */
const BURST_BYTES: u32 = 1 << 15

/** Keeps the compiler from dropping loads that nobody reads. */
let touched: u32 = 0

/** Asks for each cache line of a row. Loads that wait for nothing run side by side: that hides the memory's latency. */
// @ts-ignore: decorator
@inline
function touch(row: usize, end: usize): u32 {
  let seen: u32 = 0
  for (; row + 192 < end; row += 256) {
    seen += load<u32>(row) + load<u32>(row, 64) + load<u32>(row, 128) + load<u32>(row, 192)
  }
  for (; row < end; row += 64) seen += load<u32>(row)
  return seen
}

// @ts-ignore: decorator
@inline
function four(row: usize, position: usize, added: bool, offset: usize): v128 {
  const values = v128.load(row + offset)
  return added ? f32x4.add(values, v128.load(position + offset)) : values
}

// @ts-ignore: decorator
@inline
function one(row: usize, position: usize, added: bool): v128 {
  const value = v128.load32_zero(row)
  return added ? f32x4.add(value, v128.load32_zero(position)) : value
}

// @ts-ignore: decorator
@inline
function float32Row(out: usize, row: usize, end: usize, position: usize, added: bool): void {
  for (; row + 64 <= end; row += 64, position += 64, out += 64) {
    v128.store(out, four(row, position, added, 0))
    v128.store(out, four(row, position, added, 16), 16)
    v128.store(out, four(row, position, added, 32), 32)
    v128.store(out, four(row, position, added, 48), 48)
  }
  for (; row + 16 <= end; row += 16, position += 16, out += 16) v128.store(out, four(row, position, added, 0))
  for (; row < end; row += 4, position += 4, out += 4) v128.store32_lane(out, one(row, position, added), 0)
}

// @ts-ignore: decorator
@inline
function narrowRow(type: i32, out: usize, row: usize, end: usize, position: usize, added: bool): void {
  for (; row + 32 <= end; row += 32, position += 32, out += 16) {
    const first = four(row, position, added, 0)
    const second = four(row, position, added, 16)
    v128.store(out, type == FLOAT16 ? toFloat16(first, second) : toBfloat16(first, second))
  }
  for (; row < end; row += 4, position += 4, out += 2) {
    const value = one(row, position, added)
    v128.store16_lane(out, type == FLOAT16 ? toFloat16(value, value) : toBfloat16(value, value), 0)
  }
}

// @ts-ignore: decorator
@inline
function embed(
  type: i32,
  added: bool,
  out: usize,
  table: usize,
  ids: usize,
  rows: u32,
  dim: u32,
  positions: usize,
  first: u32,
  contextLength: u32,
): void {
  const rowBytes: usize = 4 * dim
  const outBytes: usize = type == FLOAT32 ? rowBytes : rowBytes >> 1
  const burst = max<u32>(1, BURST_BYTES / <u32>rowBytes)
  let t = first
  let position = positions + <usize>first * rowBytes
  let seen: u32 = 0
  for (let start: u32 = 0; start < rows; start += burst) {
    const stop = min(start + burst, rows)
    for (let i = start; i < stop; i++) {
      const row = table + <usize>load<u32>(ids + 4 * i) * rowBytes
      seen += touch(row, row + rowBytes)
    }
    for (let i = start; i < stop; i++) {
      const row = table + <usize>load<u32>(ids + 4 * i) * rowBytes
      if (type == FLOAT32) float32Row(out, row, row + rowBytes, position, added)
      else narrowRow(type, out, row, row + rowBytes, position, added)
      out += outBytes
      if (added) {
        position += rowBytes
        if (++t == contextLength) {
          t = 0
          position = positions
        }
      }
    }
  }
  touched = seen
}

// @ts-ignore: decorator
@inline
function embedAs(
  type: i32,
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
  if (positions == 0) embed(type, false, out, table, ids, rows, dim, 0, 0, 0)
  else {
    const start = positions + <usize>positionStart * 4 * dim
    embed(type, true, out, table, ids, rows, dim, start, firstRow % contextLength, contextLength)
  }
}

export function embedRows(
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
  embedAs(FLOAT32, out, table, ids, rows, dim, positions, positionStart, firstRow, contextLength)
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
  embedAs(FLOAT16, out, table, ids, rows, dim, positions, positionStart, firstRow, contextLength)
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
  embedAs(BFLOAT16, out, table, ids, rows, dim, positions, positionStart, firstRow, contextLength)
}
