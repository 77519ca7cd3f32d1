import type { Tensor } from '../../../../clients/typescript/src/index.js'
import type { Recipe } from './recipe.js'
import { type TokenDocument, visibleText } from './tokens.js'

/** The windows on screen: one batch of the loader, as ids. */
export interface Batch {
  /** B, the windows of this batch. */
  readonly windows: number
  /** T, the tokens of a window. */
  readonly length: number
  readonly ids: Int32Array
  readonly targets: Int32Array
  readonly mask: Int32Array
  /** Each window's document, and the token there that it begins with. */
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
  /** The rows that the scheme adds, one for each place; undefined if it adds none. */
  readonly position: Float32Array | undefined
}

/** The tensors of the position scheme alone. */
export interface Positions {
  readonly type: string
  readonly offset: number
  /** T: how many positions were asked for. */
  readonly length: number
  readonly tensors: Readonly<Record<string, Tensor>>
}

/** A token's place in the batch. */
interface Place {
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
  readonly counts: Readonly<Record<'tokens' | 'characters' | 'windows' | 'droppedTokens' | 'batches', number>>
  /** Every window's places, in the loader's order. */
  readonly windowStarts: Int32Array
  readonly windowDocuments: Int32Array
  readonly batch: Batch
  readonly rows: Rows
  readonly positions: Positions | undefined
  /** A token's place in the batch: its first window there. */
  placeOf(token: { readonly document: number; readonly token: number }): Place | undefined
}

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

export function strideOf({ recipe, batch }: Answer): number {
  return recipe.stride ?? recipe.context_length ?? batch.length
}

/** The overlap of window `index` of the batch on screen with the one before it in its document. */
export function windowFacts(answer: Answer, index: number) {
  const { batch, recipe } = answer
  const start = batch.starts[index]
  const stride = strideOf(answer)
  return {
    /** The window's number in the loader's order, over all batches. */
    number: recipe.batch_index * recipe.batch_size + index,
    /** The window's number in the document's order, which differs if the loader shuffles. */
    inText: Math.round(start / stride),
    document: batch.documents[index],
    start,
    /** Tokens that the window before it in the text has too. */
    overlap: start === 0 ? 0 : Math.max(0, batch.length - stride),
    /** Tokens between it and the window before it, which no window has. */
    gap: start === 0 ? 0 : Math.max(0, stride - batch.length),
  }
}

/** Tokens at the end of each document that no window has, neither as an input nor as the last target. */
export function tailsOf(answer: Answer): readonly { from: number; to: number }[] {
  const { documents, windowStarts, windowDocuments, batch } = answer
  const ends = new Int32Array(documents.length)
  windowDocuments.forEach((document, index) => {
    ends[document] = Math.max(ends[document], windowStarts[index] + batch.length + 1)
  })
  return documents.map(({ ids: { length: to } }, document) => ({ from: Math.min(ends[document], to), to }))
}

export interface Occurrence {
  readonly window: number
  readonly id: number
  readonly place: number
  /** The row's number in the block on screen. */
  readonly row: number
  readonly document: number
  readonly token: number
}

/** The tokens of the rows on screen, without padding. */
function* occurrences({ rows, batch }: Answer): Generator<Occurrence, void, void> {
  for (let row = 0; row < rows.windows * rows.length; row++) {
    const window = rows.first + Math.floor(row / rows.length)
    const place = rows.from + (row % rows.length)
    const slot = window * batch.length + place
    if (batch.mask[slot] === 0) continue
    const [document, token] = [batch.documents[window], batch.starts[window] + place]
    yield { id: batch.ids[slot], window, place, row, document, token }
  }
}

/** Ids that stand at two or more positions of the rows on screen, most frequent first. */
export function repeated(answer: Answer): ReadonlyMap<number, readonly Occurrence[]> {
  const found = new Map<number, Occurrence[]>()
  for (const each of occurrences(answer)) found.set(each.id, [...(found.get(each.id) ?? []), each])
  const several = [...found].filter(([, places]) => new Set(places.map(({ place }) => place)).size > 1)
  return new Map(several.sort((a, b) => b[1].length - a[1].length))
}

const MOST_ROWS = 120

/** The token rows on screen, each id once, with the token's name. */
export function tokenRows(answer: Answer) {
  const { token: values, tokenChannels: channels } = answer.rows
  const found = new Map<number, { readonly id: number; readonly name: string; readonly row: Float32Array }>()
  for (const { id, row, document, token } of occurrences(answer)) {
    if (found.size === MOST_ROWS) break
    if (found.has(id)) continue
    const name = visibleText(answer.documents[document], token)
    found.set(id, { id, name, row: values.subarray(row * channels, (row + 1) * channels) })
  }
  return [...found.values()]
}
