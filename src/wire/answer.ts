import type { NamedTensor } from '../named-tensor.js'

/** Totals of a request, before batching. */
export interface Counts {
  readonly numTokens: number
  /** Characters (code points); absent where the request brought ids. */
  readonly numCharacters?: number
  /** Absent where the answer has no windows. */
  readonly numWindows?: number
  readonly numDroppedTokens?: number
  /** Absent where the request has no `batch_size`. */
  readonly numBatches?: number
  readonly numDroppedWindows?: number
}

/** What a format writes: named tensors and what is said about them. */
export interface Answer {
  /** Id of the model; absent where the request named only an encoding. */
  readonly model?: string
  /** The version of the model's tables; absent where none was read. */
  readonly modelVersion?: string
  /** Absent for position tensors alone, which come from no text. */
  readonly counts?: Counts
  readonly tensors: readonly NamedTensor[]
  /** A position scheme's facts about its tensors, such as `layout` of `rope`. */
  readonly metadata: Readonly<Record<string, string>>
}

/** The counts under their wire names, in wire order; what is absent is left out. */
export function countFields(counts: Counts | undefined): [name: CountName, value: number][] {
  if (counts === undefined) return []
  const { numTokens, numCharacters, numWindows, numDroppedTokens, numBatches, numDroppedWindows } = counts
  const fields: [CountName, number][] = [['num_tokens', numTokens]]
  if (numCharacters !== undefined) fields.push(['num_characters', numCharacters])
  if (numWindows !== undefined) fields.push(['num_windows', numWindows])
  if (numDroppedTokens !== undefined) fields.push(['num_dropped_tokens', numDroppedTokens])
  if (numBatches !== undefined) fields.push(['num_batches', numBatches])
  if (numDroppedWindows !== undefined) fields.push(['num_dropped_windows', numDroppedWindows])
  return fields
}

export type CountName =
  | 'num_tokens'
  | 'num_characters'
  | 'num_windows'
  | 'num_dropped_tokens'
  | 'num_batches'
  | 'num_dropped_windows'
