import { pino } from 'pino'
import { buildApp } from '../../../src/app.js'
import { type Config, readConfig } from '../../../src/config.js'
import { modelSpec } from '../../../src/default-model.js'
import { loadModel } from '../../../src/embeddings/singleton.js'
import { seedCard } from '../../../src/models/card.js'
import { cardSchema } from '../../../src/models/card-fields.js'
import { inProcessModels } from '../../../src/models/in-process.js'
import { type Keeper, unloaded } from '../../../src/models/keeper.js'
import type { ManagedModels } from '../../../src/models/managed-models.js'
import type { LogLine } from '../../helper.js'

export const ADMIN_KEY = 'admin-s3cret'
export const AUTHORIZATION = { authorization: `Bearer ${ADMIN_KEY}` }
const MIB = 2 ** 20

/** A service whose models can be changed, in one thread. `book` is V 6, C 3, P 4. */
export async function managedService(env: Readonly<Record<string, string>> = {}) {
  const config = readConfig({ EMBEDDING_DIM: '8', ADMIN_KEY, ...env })
  const { keeper, models: plain } = inProcessModels(config.MAX_TABLE_BYTES ?? 64 * MIB)
  const book = { embedding_dim: 3, vocab_size: 6, max_position_embeddings: 4 }
  await keeper.add(unloaded(seedCard('book', cardSchema.parse(book)), 'folder'))
  await keeper.load('book')
  const open = { uploads: 0, leases: 0 }
  const models: ManagedModels = {
    ...plain,
    admin: counting(keeper, open),
    async holdTables(id) {
      const held = await plain.holdTables(id)
      open.leases++
      const release = () => {
        open.leases--
        held.release()
      }
      return { ...held, release }
    },
  }
  const lines: LogLine[] = []
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const model = await defaultModel(config)
  const app = await buildApp(config, { logger, model: () => model, models })
  await app.ready()
  return { app, config, open, lines, close: () => app.close() }
}
export type ManagedService = Awaited<ReturnType<typeof managedService>>

async function defaultModel(config: Config) {
  return loadModel(await modelSpec(config), {})
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
