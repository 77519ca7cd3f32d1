import { createHash } from 'node:crypto'
import { bytesOf, type SharedTables } from '../embeddings/table-memory.js'
import type { ModelEntry, ModelVersion } from './entry.js'
import { Keeper } from './keeper.js'
import { Library } from './library.js'
import type { Maker } from './maker.js'
import type { ManagedModels } from './managed-models.js'
import { modelNotFound } from './model-errors.js'
import { drawFromSeed } from './sources/seed.js'
import type { Threads } from './threads.js'

/** A model as nobody computes with it: its tables alone. */
interface Shown {
  readonly entry: ModelEntry
  readonly version: ModelVersion
  dispose(): void
}

/** Models of a process of one thread that shows and changes them, and embeds nothing. */
export function inProcessModels(maxTableBytes: number): { keeper: Keeper; models: ManagedModels } {
  const library = new Library<Shown>(async (entry, version) => ({ entry, version, dispose() {} }))
  const keeper = new Keeper(oneThread(library), inProcessMaker, { maxTableBytes })
  const models: ManagedModels = {
    entries: () => library.entries(),
    entry: (id) => library.entry(id),
    admin: keeper,
    async holdTables(id) {
      if (library.entry(id)?.version === undefined) await keeper.load(id)
      const lease = await library.lease(id)
      if (lease === undefined) throw modelNotFound(id)
      const { entry, version } = lease.model
      return { entry, version, release: lease.release }
    },
  }
  return { keeper, models }
}

function oneThread(library: Library<Shown>): Threads {
  return {
    count: 1,
    put: async (entry) => ({ drained: library.put(entry) }),
    drop: async (id) => ({ drained: library.drop(id) }),
  }
}

/** Makes tables in the thread that asks: for small ones, and processes that serve nobody meanwhile. */
const inProcessMaker: Maker = {
  async fill(card, tables, progress) {
    for await (const share of drawFromSeed(tables, card)) progress(share)
  },
  async copy(from, to, names) {
    for (const name of names) tableNamed(to, name).set(tableNamed(from, name))
  },
  async hash(header, tables) {
    const hash = createHash('sha256').update(header)
    for (const place of tables.places) hash.update(bytesOf(tables, place))
    return hash.digest('hex')
  },
}

function tableNamed(tables: SharedTables, name: string): Uint8Array {
  const place = tables.places.find((each) => each.name === name)
  if (place === undefined) throw new Error(`There is no table ${name}.`)
  return bytesOf(tables, place)
}
