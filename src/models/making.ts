import { createHash } from 'node:crypto'
import { inspectFolder } from '../checkpoints/inspect.js'
import { bytesOf, type SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { Maker } from './maker.js'
import { readFromFolder } from './sources/folder.js'
import { drawFromSeed } from './sources/seed.js'

/** Bytes hashed at once. */
const STEP_BYTES = 1 << 24

/** Makes tables in the calling thread: in the thread that does nothing else, or in a process's only thread. */
export const makerHere: Maker = {
  inspect: inspectFolder,

  async fill(card, tables, progress) {
    const made =
      card.source.type === 'folder' ? readFromFolder(tables, card.source) : drawFromSeed(tables, card)
    for await (const share of made) progress(share)
  },

  async copy(from, to, names) {
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
}
