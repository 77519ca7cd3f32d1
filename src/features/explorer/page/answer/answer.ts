import type { Tensor } from '../../../../../clients/typescript/src/index.js'
import type { Recipe } from '../recipe/recipe.js'

/** A document and its tokens. */
export interface TokenDocument {
  readonly text: string
  readonly ids: Int32Array
  /** Where in the text's UTF-8 each token begins, and where the last one ends: n + 1 places. */
  readonly starts: Int32Array
  /** The model has no tokenizer here: its tokens are ids, and the text is their numbers. */
  readonly isNumbers?: boolean
}

/** The windows on screen: one batch of the loader, as ids. */
export interface Batch {
  /** B, the windows of this batch. */
  readonly windows: number
  /** T, the tokens of a window. */
  readonly length: number
  readonly ids: Int32Array
  readonly targets: Int32Array
  readonly mask: Int32Array
  /** Of each window: its document, and the token there that it begins with. */
  readonly documents: Int32Array
  readonly starts: Int32Array
}

/** Rows of a part of the batch: places `from` … `from + length − 1` of windows `first` … `first + windows − 1`. */
export interface Rows {
  /** The version of the tables that they are of. */
  readonly version: string
  readonly first: number
  readonly from: number
  readonly windows: number
  readonly length: number
  /** C, the numbers of an input embedding. */
  readonly channels: number
  /** Numbers of a row of the token table, and of a position row: others than C where the model projects rows. */
  readonly tokenChannels: number
  readonly positionChannels: number
  readonly token: Float32Array
  readonly sum: Float32Array
  /** The rows that the scheme adds, one for each place; undefined where it adds none. */
  readonly position: Float32Array | undefined
}

/** The tensors of the position scheme alone. */
export interface Positions {
  readonly type: string
  readonly offset: number
  /** T: how many positions were asked for. */
  readonly length: number
  readonly tensors: Readonly<Record<string, Tensor>>
  readonly metadata: Readonly<Record<string, string>>
}

export interface Counts {
  readonly tokens: number
  readonly characters: number
  readonly windows: number
  readonly droppedTokens: number
  readonly batches: number
}

/** A token's place in the batch. */
export interface Place {
  readonly window: number
  readonly place: number
}

/** All that the cards show of a recipe: every number is one that the service gave. */
export interface Answer {
  /** The recipe that it answers. */
  readonly recipe: Recipe
  readonly model: string
  readonly modelVersion: string
  readonly documents: readonly TokenDocument[]
  readonly counts: Counts
  /** Of every window, in the loader's order. */
  readonly windowStarts: Int32Array
  readonly windowDocuments: Int32Array
  readonly batch: Batch
  readonly rows: Rows
  readonly positions: Positions | undefined
  /** Where a token stands in the batch: its first window there that has it. */
  placeOf(token: { readonly document: number; readonly token: number }): Place | undefined
}

/** @see Answer.placeOf */
export function placeIn(batch: Batch, document: number, token: number): Place | undefined {
  for (let window = 0; window < batch.windows; window++) {
    const place = token - batch.starts[window]
    if (batch.documents[window] !== document || place < 0 || place >= batch.length) continue
    if (batch.mask[window * batch.length + place] === 1) return { window, place }
  }
  return undefined
}

/** The loader's number of the batch that has a token, or undefined where no window has it. */
export function batchOf(answer: Answer, document: number, token: number): number | undefined {
  const { windowStarts, windowDocuments, batch, recipe } = answer
  const window = windowStarts.findIndex(
    (start, index) => windowDocuments[index] === document && token >= start && token < start + batch.length,
  )
  return window < 0 ? undefined : Math.floor(window / recipe.batch_size)
}
