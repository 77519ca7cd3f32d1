import { pino } from 'pino'
import { cardSchema } from '../src/first-layer/cards/card-json.js'
import { seedCard } from '../src/first-layer/cards/seed-card.js'
import type { ModelEntry } from '../src/models/entry.js'
import { unloaded } from '../src/models/entry.js'
import { buildApp } from '../src/service/app.js'
import { readConfig } from '../src/service/features.js'
import type { Keeper, ModelAdmin } from '../src/service/models/keeper/keeper.js'
import type { LogLine } from './helper.js'
import { optional } from './optional.js'
import { singleThreadModels } from './single-thread.js'

export const ADMIN_KEY = 'admin-s3cret'
export const AUTHORIZATION = { authorization: `Bearer ${ADMIN_KEY}` }
const MIB = 2 ** 20

/** A service whose models can be changed, in one thread. `book` is V 6, C 3, P 4. */
export async function managedService(
  env: Readonly<Record<string, string>> = {},
  folders: readonly ModelEntry[] = [],
) {
  const config = readConfig({
    EMBEDDING_DIM: '8',
    VOCAB_SIZE: '64',
    ADMIN_KEY,
    MAX_TABLE_BYTES: String(64 * MIB),
    ...env,
  })
  const book = seedCard(
    'book',
    cardSchema.parse({ embedding_dim: 3, vocab_size: 6, max_position_embeddings: 4 }),
  )
  const open = { uploads: 0, leases: 0 }
  const here = await optional<{ learningHere(keeper: Keeper): object }>('test/features/learning/here.ts')
  let learning: object | undefined
  const models = await singleThreadModels(config, {
    folders: [unloaded(book, 'folder'), ...folders],
    admin(keeper) {
      learning = here?.learningHere(keeper)
      return counting(keeper, open)
    },
  })
  await models.admin.load('book')
  const lease = models.lease.bind(models)
  models.lease = async (id, claim) => {
    const held = await lease(id, claim)
    open.leases++
    const release = () => {
      open.leases--
      held.release()
    }
    return { ...held, release }
  }
  const lines: LogLine[] = []
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const app = await buildApp(config, { logger, models, kept: { learning } })
  await app.ready()
  return { app, config, models, open, lines, close: () => app.close() }
}
export type ManagedService = Awaited<ReturnType<typeof managedService>>

/** The keeper, counting the uploads that are on their way. */
function counting(keeper: Keeper, open: { uploads: number }): ModelAdmin {
  return {
    make: (card) => keeper.make(card),
    fail: (id: string, message: string) => keeper.fail(id, message),
    load: (id) => keeper.load(id),
    loadAnew: (id) => keeper.loadAnew(id),
    unload: (id) => keeper.unload(id),
    remove: (id) => keeper.remove(id),
    noteUse: (id) => keeper.noteUse(id),
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
