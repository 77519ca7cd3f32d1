// Rows of a table plus position rows, in float32: a loop for each combination of types.

import { burstRows, touchRows } from './burst'
import { firstFour, four, lastFour, one, storeEight, storeOne } from './stored'

/** Stands for the positions' type where no positions are added. */
export type None = bool

// @inline
function addEight<Out, Stored, Added>(out: usize, row: usize, position: usize): void {
  const numbers = v128.load(row)
  let first = firstFour<Stored>(numbers)
  let last = lastFour<Stored>(numbers, row)
  if (!isBoolean<Added>()) {
    const added = v128.load(position)
    first = f32x4.add(first, firstFour<Added>(added))
    last = f32x4.add(last, lastFour<Added>(added, position))
  }
  storeEight<Out>(out, first, last)
}

// @inline
function sumRow<Out, Stored, Added>(out: usize, row: usize, end: usize, position: usize): void {
  const size = sizeof<Stored>()
  const addedSize = sizeof<Added>()
  const outSize = sizeof<Out>()
  const step: usize = isFloat<Out>() ? 16 : 8
  for (; row + step * size <= end; row += step * size, position += step * addedSize, out += step * outSize) {
    addEight<Out, Stored, Added>(out, row, position)
    if (isFloat<Out>()) addEight<Out, Stored, Added>(out + 32, row + 8 * size, position + 8 * addedSize)
  }
  if (isFloat<Out>()) {
    for (; row + 4 * size <= end; row += 4 * size, position += 4 * addedSize, out += 16) {
      const values = four<Stored>(row)
      v128.store(out, isBoolean<Added>() ? values : f32x4.add(values, four<Added>(position)))
    }
  }
  for (; row < end; row += size, position += addedSize, out += outSize) {
    const value = one<Stored>(row)
    storeOne<Out>(out, isBoolean<Added>() ? value : f32x4.add(value, one<Added>(position)))
  }
}

/** out [n, dim] = table [ids, dim] + positions [t, t + 1, …, dim], t modulo `contextLength`, rounded to `Out`. */
export function sumRows<Out, Stored, Added>(
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
  const outBytes: usize = sizeof<Out>() * dim
  const burst = burstRows(rowBytes)
  let position = positions + <usize>t * positionBytes
  for (let start: u32 = 0; start < rows; start += burst) {
    const stop = min(start + burst, rows)
    touchRows(table, ids, start, stop, rowBytes)
    for (let i = start; i < stop; i++) {
      const row = table + <usize>load<u32>(ids + 4 * i) * rowBytes
      sumRow<Out, Stored, Added>(out, row, row + rowBytes, position)
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
