import { createHash } from 'node:crypto'
import { pino } from 'pino'
import { buildApp } from '../../../src/app.js'
import { type Config, readConfig } from '../../../src/config.js'
import { modelSpec } from '../../../src/default-model.js'
import { loadModel } from '../../../src/embeddings/singleton.js'
import { bytesOf } from '../../../src/embeddings/table-memory.js'
import type { HeldTables, ManagedModels } from '../../../src/http/routes/admin/context.js'
import { seedCard } from '../../../src/models/card.js'
import { cardSchema } from '../../../src/models/card-fields.js'
import { Keeper, unloaded } from '../../../src/models/keeper.js'
import { Library } from '../../../src/models/library.js'
import type { Maker } from '../../../src/models/maker.js'
import { modelNotFound } from '../../../src/models/model-errors.js'
import { drawFromSeed } from '../../../src/models/sources/seed.js'
import type { Threads } from '../../../src/models/threads.js'
import type { LogLine } from '../../helper.js'

export const ADMIN_KEY = 'admin-s3cret'
export const AUTHORIZATION = { authorization: `Bearer ${ADMIN_KEY}` }
const MIB = 2 ** 20

/** A service whose models can be changed, in one thread. `book` is V 6, C 3, P 4. */
export async function managedService(env: Readonly<Record<string, string>> = {}) {
  const config = readConfig({ EMBEDDING_DIM: '8', ADMIN_KEY, ...env })
  const library = new Library(async (entry, version) => ({ entry, version, dispose() {} }))
  const keeper = new Keeper(threadOf(library), maker, { maxTableBytes: config.MAX_TABLE_BYTES ?? 16 * MIB })
  const book = { embedding_dim: 3, vocab_size: 6, max_position_embeddings: 4 }
  await keeper.add(unloaded(seedCard('book', cardSchema.parse(book)), 'folder'))
  await keeper.load('book')
  const open = { uploads: 0, leases: 0 }
  const models: ManagedModels = {
    entries: () => library.entries(),
    entry: (id) => library.entry(id),
    admin: counting(keeper, open),
    async holdTables(id): Promise<HeldTables> {
      if (library.entry(id)?.version === undefined) await keeper.load(id)
      const lease = await library.lease(id)
      if (lease === undefined) throw modelNotFound(id)
      open.leases++
      const release = () => {
        open.leases--
        lease.release()
      }
      return { entry: lease.model.entry, version: lease.model.version, release }
    },
  }
  const lines: LogLine[] = []
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const model = await defaultModel(config)
  const app = await buildApp(config, { logger, model: () => model, models })
  await app.ready()
  return { app, config, keeper, library, open, lines, close: () => app.close() }
}
export type ManagedService = Awaited<ReturnType<typeof managedService>>

async function defaultModel(config: Config) {
  return loadModel(await modelSpec(config), {})
}

function threadOf<Model extends { dispose(): void }>(library: Library<Model>): Threads {
  return {
    count: 1,
    put: async (entry) => ({ drained: library.put(entry) }),
    drop: async (id) => ({ drained: library.drop(id) }),
  }
}

const maker: Maker = {
  async fill(card, tables, progress) {
    for await (const share of drawFromSeed(tables, card)) progress(share)
  },
  async copy(from, to, names) {
    for (const name of names) {
      const [source, target] = [from, to].map((tables) => {
        const place = tables.places.find((each) => each.name === name)
        if (place === undefined) throw new Error(name)
        return bytesOf(tables, place)
      })
      target.set(source)
    }
  },
  async hash(header, tables) {
    const hash = createHash('sha256').update(header)
    for (const place of tables.places) hash.update(bytesOf(tables, place))
    return hash.digest('hex')
  },
}

/** The keeper, counting the uploads that are on their way. */
function counting(keeper: Keeper, open: { uploads: number }): ManagedModels['admin'] {
  return {
    make: (card) => keeper.make(card),
    load: (id) => keeper.load(id),
    unload: (id) => keeper.unload(id),
    remove: (id) => keeper.remove(id),
    digest: (tables, header) => keeper.digest(tables, header),
    async openUpload(plan) {
      const opened = await keeper.openUpload(plan)
      open.uploads++
      return opened
    },
    commitUpload(upload, sha256) {
      open.uploads--
      return keeper.commitUpload(upload, sha256)
    },
    abandonUpload(upload) {
      open.uploads--
      return keeper.abandonUpload(upload)
    },
  }
}
