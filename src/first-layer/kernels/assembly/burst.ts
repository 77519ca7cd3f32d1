// Bursts: the rows of a table lie far apart in memory, so a loop that reads one after the other waits for each. It
// loads the next rows into the cache together before it uses any.

/** Bytes of rows that are loaded into the cache before any of them is used. */
const BURST_BYTES: u32 = 1 << 15

// biome-ignore lint/correctness/noUnusedVariables: the compiler drops loads whose sum is not stored.
let touched: u32 = 0

/** Loads each cache line of the rows that a burst is about to use: independent loads run in parallel. */
// @inline
export function touchRows(table: usize, ids: usize, start: u32, stop: u32, rowBytes: usize): void {
  let seen: u32 = 0
  for (let i = start; i < stop; i++) {
    const row = table + <usize>load<u32>(ids + 4 * i) * rowBytes
    for (let at = row; at < row + rowBytes; at += 64) seen += load<u16>(at)
  }
  touched = seen
}

/** How many rows of `rowBytes` bytes a burst has, at least one. */
// @inline
export function burstRows(rowBytes: usize): u32 {
  return max<u32>(1, BURST_BYTES / <u32>rowBytes)
}
