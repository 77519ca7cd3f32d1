import { isDeepStrictEqual } from 'node:util'
import type { ModelCard } from './model-card.js'
import { parametersOf } from './seed-card.js'

/** A card as JSON keeps it: no undefined, no bigint. */
export type StoredCard = Readonly<Record<string, unknown>>

/**
 * A model's card as its checkpoint on the disk has it. Of a model that a folder of the configuration describes, the sizes
 * alone: what is learned belongs to it as long as these stay.
 */
export function storedCard(card: ModelCard): StoredCard {
  const { id, dtype, source } = card
  const tables = parametersOf(card).map(({ name, shape }) => ({ name, shape }))
  const kept = source.type === 'folder' ? { id, dtype, source: { type: 'folder' }, tables } : card
  return JSON.parse(JSON.stringify(kept, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
}

/** The card of a model that no configuration describes; undefined where that is needed. */
export function modelCard(stored: StoredCard): ModelCard | undefined {
  const { source, ...card } = stored as unknown as Omit<ModelCard, 'source'> & {
    readonly source: { readonly type: string; readonly seed?: string }
  }
  if (source.type === 'folder') return undefined
  const { seed } = source
  return { ...card, source: seed === undefined ? source : { ...source, seed: BigInt(seed) } } as ModelCard
}

/** @throws Error for a checkpoint that another model of this name has left */
export function checkSameModel(path: string, stored: StoredCard, card: ModelCard): void {
  if (isDeepStrictEqual(stored, storedCard(card))) return
  throw new Error(`${path} was learned by a model of another card: ${JSON.stringify(stored)}`)
}
