import type { NamedTensor } from './tensors/named-tensor.js'

/** Totals of a request, before batching. */
export interface Counts {
  readonly numTokens: number
  /** Characters (code points); absent where the request brought ids. */
  readonly numCharacters?: number
  /** Absent where the answer has no windows. */
  readonly numWindows?: number
  readonly numDroppedTokens?: number
  /** Absent where documents are not cut to a length. */
  readonly numTruncatedTokens?: number
  /** Absent where the request has no `batch_size`. */
  readonly numBatches?: number
  readonly numDroppedWindows?: number
}

export const COUNTS = {
  num_tokens: 'numTokens',
  num_characters: 'numCharacters',
  num_windows: 'numWindows',
  num_dropped_tokens: 'numDroppedTokens',
  num_truncated_tokens: 'numTruncatedTokens',
  num_batches: 'numBatches',
  num_dropped_windows: 'numDroppedWindows',
} as const satisfies Record<string, keyof Counts>

export type CountName = keyof typeof COUNTS

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

/** The result of the recipe: declared tensors, and facts about them. */
export interface Answer {
  /** Facts for the first headers: which batch of which dataset it is. */
  readonly facts?: Readonly<Record<string, string | number>>
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

/** The facts that a safetensors file has beside its tensors: the model, the counts as decimal strings, the scheme's. */
export function fileMetadata(answer: Answer): Readonly<Record<string, string | undefined>> {
  const texts = (entries: readonly (readonly [string, string | number])[]) =>
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
  return {
    ...texts(Object.entries(answer.facts ?? {})),
    ...{ model: answer.model, model_version: answer.modelVersion },
    ...texts(countFields(answer.counts)),
    ...answer.metadata,
  }
}
