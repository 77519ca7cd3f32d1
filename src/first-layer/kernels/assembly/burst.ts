// Bursts: the rows of a table lie far apart in memory, so a loop that reads one after the other waits for each. It
// loads the next rows into the cache together before it uses any.

/** Bytes of rows that are loaded into the cache before any of them is used. */
const BURST_BYTES: u32 = 1 << 15

// biome-ignore lint/correctness/noUnusedVariables: the compiler drops loads whose sum is not stored.
let touched: u32 = 0

/** Loads each cache line of a row: independent loads run in parallel, which hides the memory's latency. */
// @inline
function touch(row: usize, end: usize): u32 {
  let seen: u32 = 0
  for (; row + 192 < end; row += 256) {
    seen += load<u16>(row) + load<u16>(row, 64) + load<u16>(row, 128) + load<u16>(row, 192)
  }
  for (; row < end; row += 64) seen += load<u16>(row)
  return seen
}

/** Loads the rows that a burst is about to use. */
// @inline
export function touchRows(table: usize, ids: usize, start: u32, stop: u32, rowBytes: usize): void {
  let seen: u32 = 0
  for (let i = start; i < stop; i++) {
    const row = table + <usize>load<u32>(ids + 4 * i) * rowBytes
    seen += touch(row, row + rowBytes)
  }
  touched = seen
}

/** How many rows of `rowBytes` bytes a burst has, at least one. */
// @inline
export function burstRows(rowBytes: usize): u32 {
  return max<u32>(1, BURST_BYTES / <u32>rowBytes)
}
