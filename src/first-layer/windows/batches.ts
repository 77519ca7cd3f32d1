/** Which windows of a loader a request asks for; the loader is PyTorch's `DataLoader` with `num_workers=0`. */
export interface BatchRule {
  readonly batchSize?: number
  readonly batchIndex?: number
  readonly dropLast: boolean
}

export interface BatchCounts {
  readonly numBatches: number
  /** Windows of a last, short batch that `drop_last` leaves out. */
  readonly numDroppedWindows: number
}

/**
 * How many batches `numWindows` windows give: 1286 in batches of 8 → 161, or 160 and 6 windows dropped under
 * `dropLast`.
 */
export function countBatches(numWindows: number, batchSize: number, dropLast: boolean): BatchCounts {
  const remainder = numWindows % batchSize
  if (dropLast) return { numBatches: (numWindows - remainder) / batchSize, numDroppedWindows: remainder }
  return { numBatches: Math.ceil(numWindows / batchSize), numDroppedWindows: 0 }
}

/**
 * The places in loader order, `from` (included) to `to` (excluded), that the answer holds: one batch where
 * `batchIndex` is given, otherwise all that `dropLast` leaves. Batch 160 of 1286 windows by 8 → 1280 … 1286.
 */
export function selectPlaces(numWindows: number, rule: BatchRule): { from: number; to: number } {
  const { batchSize, batchIndex, dropLast } = rule
  if (batchSize === undefined) return { from: 0, to: numWindows }
  const end = numWindows - countBatches(numWindows, batchSize, dropLast).numDroppedWindows
  if (batchIndex === undefined) return { from: 0, to: end }
  return { from: Math.min(batchIndex * batchSize, end), to: Math.min((batchIndex + 1) * batchSize, end) }
}
