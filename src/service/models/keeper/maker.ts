import { createHash } from 'node:crypto'
import { folderCard } from '../../../checkpoints/folder-card.js'
import { fillTables } from '../../../checkpoints/tables/make-tables.js'
import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { bytesOf, type SharedTables } from '../../../first-layer/embeddings/table-memory.js'

/** The long work on tables: runs in a separate thread (`threads/make.ts`), or here. */
export interface Maker {
  inspect(id: string, path: string): Promise<ModelCard>
  fill(card: ModelCard, tables: SharedTables): Promise<void>
  copy(from: SharedTables, to: SharedTables, names: readonly string[]): Promise<void>
  /** SHA-256, in hex, of `header` followed by all tables in their order. */
  hash(header: Uint8Array, tables: SharedTables): Promise<string>
}

/** Bytes hashed at once. */
const STEP_BYTES = 1 << 24

/** Works in the calling thread. */
export const localMaker = {
  inspect: folderCard,

  fill: fillTables,

  async copy(from: SharedTables, to: SharedTables, names: readonly string[]) {
    for (const name of names) {
      const [source, target] = [from, to].map(({ places }) => places.find((place) => place.name === name))
      if (source === undefined || target === undefined) throw new Error(`There is no ${name} to copy.`)
      bytesOf(to, target).set(bytesOf(from, source))
    }
  },

  async hash(header: Uint8Array, tables: SharedTables) {
    const sha256 = createHash('sha256').update(header)
    for (const place of tables.places) {
      const bytes = bytesOf(tables, place)
      for (let at = 0; at < bytes.length; at += STEP_BYTES) {
        sha256.update(bytes.subarray(at, at + STEP_BYTES))
      }
    }
    return sha256.digest('hex')
  },
} satisfies Maker
