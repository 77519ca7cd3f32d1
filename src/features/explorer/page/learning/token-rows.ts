import type { Answer } from '../answer/answer.js'
import { textOf } from '../tokens/document-places.js'
import { visible } from '../tokens/places.js'

/** A token's row on screen. */
export interface TokenRow {
  readonly id: number
  readonly name: string
  readonly row: Float32Array
}

/** Most rows that are compared. */
const MOST = 120

/** The token rows on screen, each id once. */
export function tokenRows({ rows, batch, documents }: Answer): readonly TokenRow[] {
  const { length, windows, tokenChannels: channels } = rows
  const found = new Map<number, TokenRow>()
  for (let index = 0; index < windows * length && found.size < MOST; index++) {
    const window = rows.first + Math.floor(index / length)
    const place = rows.from + (index % length)
    const slot = window * batch.length + place
    const id = batch.ids[slot]
    if (batch.mask[slot] === 0 || found.has(id)) continue
    const name = visible(textOf(documents[batch.documents[window]], batch.starts[window] + place))
    found.set(id, { id, name, row: rows.token.subarray(index * channels, (index + 1) * channels) })
  }
  return [...found.values()]
}
