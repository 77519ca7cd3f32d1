import type { Answer, Batch } from './load.js'
import { visibleText } from './tokens.js'

/** The first window of the batch that has a token, and the token's position in it. */
export function positionIn(batch: Batch, document: number, token: number) {
  for (let window = 0; window < batch.windows; window++) {
    const position = token - batch.starts[window]
    if (batch.documents[window] !== document || position < 0 || position >= batch.length) continue
    if (batch.mask[window * batch.length + position] === 1) return { window, position }
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

/** Tokens at the end of each document that no window has, neither as an input nor as the last target. */
export function tailsOf(answer: Answer): readonly { from: number; to: number }[] {
  const { documents, windowStarts, windowDocuments, batch } = answer
  const ends = new Int32Array(documents.length)
  windowDocuments.forEach((document, index) => {
    ends[document] = Math.max(ends[document], windowStarts[index] + batch.length + 1)
  })
  return documents.map(({ ids: { length: to } }, document) => ({ from: Math.min(ends[document], to), to }))
}

/** A token of the rows on screen. */
interface Occurrence {
  readonly id: number
  readonly name: string
  readonly position: number
  /** The row's number in the block on screen. */
  readonly row: number
}

/** The tokens of the rows on screen, without padding, by id. */
export function occurrences({ rows, batch, documents }: Answer): ReadonlyMap<number, readonly Occurrence[]> {
  const found = new Map<number, Occurrence[]>()
  for (let row = 0; row < rows.windows * rows.length; row++) {
    const window = rows.first + Math.floor(row / rows.length)
    const position = rows.from + (row % rows.length)
    const slot = window * batch.length + position
    if (batch.mask[slot] === 0) continue
    const id = batch.ids[slot]
    const name = visibleText(documents[batch.documents[window]], batch.starts[window] + position)
    found.set(id, [...(found.get(id) ?? []), { id, name, position, row }])
  }
  return found
}

/** Ids that stand at two or more positions of the rows on screen, most frequent first. */
export function repeated(answer: Answer): ReadonlyMap<number, readonly Occurrence[]> {
  const several = [...occurrences(answer)].filter(
    ([, all]) => new Set(all.map(({ position }) => position)).size > 1,
  )
  return new Map(several.sort((a, b) => b[1].length - a[1].length))
}

/** The token rows on screen, each id once, with the token's name. */
export function tokenRows(answer: Answer) {
  const { token: values, tokenChannels: channels } = answer.rows
  return Array.from(occurrences(answer).values(), ([{ id, name, row }]) => {
    return { id, name, row: values.subarray(row * channels, (row + 1) * channels) }
  })
}
