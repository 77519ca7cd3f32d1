import { type TokenizerOf, Tokenizers } from '../src/first-layer/cards/tokenizers.js'
import { selectBackend } from '../src/first-layer/embeddings/backends/select.js'
import type { Model } from '../src/first-layer/embeddings/model.js'
import { RustLibrary } from '../src/first-layer/tokens/rust/rust-library.js'
import type { ModelEntry } from '../src/models/entry.js'
import { unloaded } from '../src/models/entry.js'
import { environmentCard, maxTableBytes } from '../src/models/environment.js'
import type { ModelAdmin } from '../src/service/models/keeper/keeper.js'
import { Keeper } from '../src/service/models/keeper/keeper.js'
import type { Maker } from '../src/service/models/keeper/maker.js'
import { localMaker } from '../src/service/models/keeper/maker.js'
import { bindIn } from '../src/service/models/library/bind.js'
import { Library } from '../src/service/models/library/library.js'
import { Models } from '../src/service/models/library/models.js'
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
  const library = new Library<Model>(bindIn(0, tokenizerOf, (id, message) => void keeper.fail(id, message)))
  const threads = new Threads(threadCount)
  threads.topics.on('model', (entry: ModelEntry) => library.put(entry))
  threads.topics.on('model gone', (id: string) => library.drop(id))
  const keeper = new Keeper(threads, maker, { maxTableBytes: maxTableBytes(config) })
  const card = environmentCard(config)
  await keeper.add(unloaded(card, 'environment'))
  for (const entry of folders) await keeper.add(entry)
  await keeper.load(card.id)
  return new Models({
    library,
    admin: admin(keeper),
    tokenizerOf,
    defaultModel: config.DEFAULT_MODEL,
    backend: () => backend,
    isStarting: () => false,
  })
}

export function ownTokenizers(): TokenizerOf {
  const tokenizers = new Tokenizers(new RustLibrary())
  return (card) => tokenizers.of(card)
}
