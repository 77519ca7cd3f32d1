// Rows of a table plus position rows, in float32: a loop for each combination of types.

import { burstRows, touchRows } from './burst'
import { firstFour, four, lastFour, one } from './stored'

/** Stands for the positions' type where no positions are added. */
export type None = bool

// @inline
function addEight<Stored, Added>(out: usize, row: usize, position: usize): void {
  const numbers = v128.load(row)
  let first = firstFour<Stored>(numbers)
  let last = lastFour<Stored>(numbers, row)
  if (!isBoolean<Added>()) {
    const added = v128.load(position)
    first = f32x4.add(first, firstFour<Added>(added))
    last = f32x4.add(last, lastFour<Added>(added, position))
  }
  v128.store(out, first)
  v128.store(out, last, 16)
}

// @inline
function sumRow<Stored, Added>(out: usize, row: usize, end: usize, position: usize): void {
  const size = sizeof<Stored>()
  const addedSize = sizeof<Added>()
  for (; row + 16 * size <= end; row += 16 * size, position += 16 * addedSize, out += 64) {
    addEight<Stored, Added>(out, row, position)
    addEight<Stored, Added>(out + 32, row + 8 * size, position + 8 * addedSize)
  }
  for (; row + 4 * size <= end; row += 4 * size, position += 4 * addedSize, out += 16) {
    const values = four<Stored>(row)
    v128.store(out, isBoolean<Added>() ? values : f32x4.add(values, four<Added>(position)))
  }
  for (; row < end; row += size, position += addedSize, out += 4) {
    const value = one<Stored>(row)
    v128.store32_lane(out, isBoolean<Added>() ? value : f32x4.add(value, one<Added>(position)), 0)
  }
}

/** out [n, dim] = table [ids, dim] + positions [t, t + 1, …, dim], t modulo `contextLength`, in float32. */
export function sumRows<Stored, Added>(
  out: usize,
  table: usize,
  ids: usize,
  rows: u32,
  dim: u32,
  positions: usize,
  t: u32,
  contextLength: u32,
): void {
  const rowBytes: usize = sizeof<Stored>() * dim
  const positionBytes: usize = sizeof<Added>() * dim
  const outBytes: usize = 4 * dim
  const burst = burstRows(rowBytes)
  let position = positions + <usize>t * positionBytes
  for (let start: u32 = 0; start < rows; start += burst) {
    const stop = min(start + burst, rows)
    touchRows(table, ids, start, stop, rowBytes)
    for (let i = start; i < stop; i++) {
      const row = table + <usize>load<u32>(ids + 4 * i) * rowBytes
      sumRow<Stored, Added>(out, row, row + rowBytes, position)
      out += outBytes
      if (!isBoolean<Added>()) {
        position += positionBytes
        if (++t === contextLength) {
          t = 0
          position = positions
        }
      }
    }
  }
}
