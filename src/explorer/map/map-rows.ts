import type { Answer } from '../answer/answer.js'
import { textOf } from '../tokens/document-places.js'
import { visible } from '../tokens/places.js'

/** Which rows the map lays flat. */
export type Kind = 'token' | 'position' | 'sum'

/** A row on the map. */
export interface MapRow {
  readonly key: string
  readonly name: string
  readonly row: Float32Array
  /** Of a token's row: what can be asked for neighbours. */
  readonly id?: number
  readonly position?: number
}

/** Most rows of a map: names of more would hide one another. */
const MOST = 120

/** The rows on screen, each once. */
export function mapRows(answer: Answer, kind: Kind): readonly MapRow[] {
  const { rows, batch, documents, recipe } = answer
  const { length, windows } = rows
  const channels = { token: rows.tokenChannels, position: rows.positionChannels, sum: rows.channels }[kind]
  const part = (values: Float32Array, index: number) =>
    values.subarray(index * channels, (index + 1) * channels)
  if (kind === 'position') {
    const { position } = rows
    if (position === undefined) return []
    const offset = (recipe.position_offset ?? 0) + rows.from
    return Array.from({ length }, (_, place) => ({
      key: String(place),
      name: String(offset + place),
      row: part(position, place),
      position: offset + place,
    }))
  }
  const found = new Map<string, MapRow>()
  for (let index = 0; index < windows * length && found.size < MOST; index++) {
    const window = rows.first + Math.floor(index / length)
    const place = rows.from + (index % length)
    const slot = window * batch.length + place
    if (batch.mask[slot] === 0) continue
    const id = batch.ids[slot]
    const key = kind === 'token' ? String(id) : `${id} ${place}`
    if (found.has(key)) continue
    const word = visible(textOf(documents[batch.documents[window]], batch.starts[window] + place))
    const name = kind === 'token' ? word : `${word} ${place}`
    found.set(key, { key, name, row: part(kind === 'token' ? rows.token : rows.sum, index), id })
  }
  return [...found.values()]
}
