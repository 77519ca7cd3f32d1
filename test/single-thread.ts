import { type TokenizerOf, Tokenizers } from '../src/first-layer/cards/tokenizers.js'
import { selectBackend } from '../src/first-layer/embeddings/backends/select.js'
import { RustLibrary } from '../src/first-layer/tokens/rust/rust-library.js'
import type { ModelEntry } from '../src/models/entry.js'
import { unloaded } from '../src/models/entry.js'
import { environmentCard, maxTableBytes } from '../src/models/environment.js'
import type { ModelAdmin } from '../src/service/models/keeper/keeper.js'
import { Keeper } from '../src/service/models/keeper/keeper.js'
import type { Maker } from '../src/service/models/keeper/maker.js'
import { localMaker } from '../src/service/models/keeper/maker.js'
import { bindIn, Models } from '../src/service/models/library/models.js'
import type { Config } from '../src/service/process/config.js'
import { Threads } from '../src/service/threads/threads.js'

interface SingleThreadOptions {
  readonly maker?: Maker | undefined
  readonly tokenizerOf?: TokenizerOf
  readonly folders?: readonly ModelEntry[]
  /** Threads that compute with the tables: each has scratch space beside them. Default: 1. */
  readonly threadCount?: number
  readonly admin?: (keeper: Keeper) => ModelAdmin
}

/** The models of a process that serves in one thread, as tests do. Loads the environment's model. */
export async function singleThreadModels(
  config: Config,
  {
    maker = localMaker,
    tokenizerOf = ownTokenizers(),
    folders = [],
    threadCount = 1,
    admin = (keeper) => keeper,
  }: SingleThreadOptions = {},
): Promise<Models> {
  const backend = await selectBackend(config.TF_BACKEND)
  const threads = new Threads(threadCount)
  const keeper = new Keeper(threads, maker, { maxTableBytes: maxTableBytes(config) })
  const models = new Models({
    bind: bindIn(0, tokenizerOf, (id, message) => void keeper.fail(id, message)),
    admin: admin(keeper),
    tokenizerOf,
    defaultModel: config.DEFAULT_MODEL,
    backend: () => backend,
    isStarting: () => false,
  })
  threads.topics.on('model', (entry: ModelEntry) => models.put(entry))
  threads.topics.on('model gone', (id: string) => models.drop(id))
  const card = environmentCard(config)
  await keeper.add(unloaded(card, 'environment'))
  for (const entry of folders) await keeper.add(entry)
  await keeper.load(card.id)
  return models
}

export function ownTokenizers(): TokenizerOf {
  const tokenizers = new Tokenizers(new RustLibrary())
  return (card) => tokenizers.of(card)
}
