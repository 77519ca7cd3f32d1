import type { NamedTensor } from '../named-tensor.js'

/** Totals of a request, before batching. */
export interface Counts {
  readonly numTokens: number
  readonly numWindows: number
  readonly numDroppedTokens: number
  /** Where the request has a `batch_size`. */
  readonly numBatches?: number
  readonly numDroppedWindows?: number
}

/** What a format writes: named tensors and what is said about them. */
export interface Answer {
  readonly model: string
  /** Absent for position tensors alone, which come from no text. */
  readonly counts?: Counts
  readonly tensors: readonly NamedTensor[]
  /** What a position scheme says of its tensors, as `layout` of `rope`. */
  readonly metadata: Readonly<Record<string, string>>
}

/** The counts under their wire names, in wire order; what is absent is left out. */
export function countFields(counts: Counts | undefined): [name: string, value: number][] {
  if (counts === undefined) return []
  const fields: [string, number | undefined][] = [
    ['num_tokens', counts.numTokens],
    ['num_windows', counts.numWindows],
    ['num_dropped_tokens', counts.numDroppedTokens],
    ['num_batches', counts.numBatches],
    ['num_dropped_windows', counts.numDroppedWindows],
  ]
  return fields.filter((field): field is [string, number] => field[1] !== undefined)
}
