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

export const COUNTS = {
  num_tokens: 'numTokens',
  num_characters: 'numCharacters',
  num_windows: 'numWindows',
  num_dropped_tokens: 'numDroppedTokens',
  num_batches: 'numBatches',
  num_dropped_windows: 'numDroppedWindows',
} as const satisfies Record<string, keyof Counts>

export type CountName = keyof typeof COUNTS

/** What is counted, by its wire names, in wire order. */
export const COUNT_NAMES = Object.keys(COUNTS) as CountName[]

/** The counts under their wire names, in wire order; what is absent is left out. */
export function countFields(counts: Counts | undefined): [name: CountName, value: number][] {
  const fields: [CountName, number][] = []
  if (counts === undefined) return fields
  for (const name of COUNT_NAMES) {
    const value = counts[COUNTS[name]]
    if (value !== undefined) fields.push([name, value])
  }
  return fields
}
