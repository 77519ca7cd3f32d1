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
export function countFields(counts: Counts | undefined): [name: CountName, value: number][] {
  if (counts === undefined) return []
  const { numTokens, numWindows, numDroppedTokens, numBatches, numDroppedWindows } = counts
  const fields: [CountName, number][] = [
    ['num_tokens', numTokens],
    ['num_windows', numWindows],
    ['num_dropped_tokens', numDroppedTokens],
  ]
  if (numBatches !== undefined) fields.push(['num_batches', numBatches])
  if (numDroppedWindows !== undefined) fields.push(['num_dropped_windows', numDroppedWindows])
  return fields
}

export type CountName =
  | 'num_tokens'
  | 'num_windows'
  | 'num_dropped_tokens'
  | 'num_batches'
  | 'num_dropped_windows'
