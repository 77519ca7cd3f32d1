import { burstRows, touchRows } from './burst'

/** Copies the bytes of one row, so that NaN keeps its bits. */
// @inline
function copyRow(out: usize, row: usize, end: usize): void {
  for (; row + 64 <= end; row += 64, out += 64) {
    v128.store(out, v128.load(row))
    v128.store(out, v128.load(row, 16), 16)
    v128.store(out, v128.load(row, 32), 32)
    v128.store(out, v128.load(row, 48), 48)
  }
  for (; row + 16 <= end; row += 16, out += 16) v128.store(out, v128.load(row))
  for (; row + 4 <= end; row += 4, out += 4) store<u32>(out, load<u32>(row))
  if (row < end) store<u16>(out, load<u16>(row))
}

/** out [n, rowBytes] = table [ids, rowBytes], as stored. `rowBytes` is even. */
export function copyRows(out: usize, table: usize, ids: usize, rows: u32, rowBytes: usize): void {
  const burst = burstRows(rowBytes)
  for (let start: u32 = 0; start < rows; start += burst) {
    const stop = min(start + burst, rows)
    touchRows(table, ids, start, stop, rowBytes)
    for (let i = start; i < stop; i++) {
      const row = table + <usize>load<u32>(ids + 4 * i) * rowBytes
      copyRow(out, row, row + rowBytes)
      out += rowBytes
    }
  }
}
