import type { Answer } from '../answer/answer.js'

/** A place of the rows on screen. */
export interface Occurrence {
  readonly window: number
  readonly place: number
  /** The row's number in the block on screen. */
  readonly row: number
  readonly document: number
  readonly token: number
}

/** Ids that stand at two or more places of the rows on screen, each place a token of its own, most frequent first. */
export function repeated({ rows, batch }: Answer): ReadonlyMap<number, readonly Occurrence[]> {
  const found = new Map<number, Occurrence[]>()
  for (let index = 0; index < rows.windows * rows.length; index++) {
    const window = rows.first + Math.floor(index / rows.length)
    const place = rows.from + (index % rows.length)
    const slot = window * batch.length + place
    if (batch.mask[slot] === 0) continue
    const id = batch.ids[slot]
    const occurrence = {
      window,
      place,
      row: index,
      document: batch.documents[window],
      token: batch.starts[window] + place,
    }
    found.set(id, [...(found.get(id) ?? []), occurrence])
  }
  const several = [...found].filter(([, places]) => new Set(places.map(({ place }) => place)).size > 1)
  return new Map(several.sort((a, b) => b[1].length - a[1].length))
}
