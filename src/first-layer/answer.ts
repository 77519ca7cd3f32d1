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
