import type { Config } from '../config.js'
import { selectBackend } from '../first-layer/embeddings/backends/select.js'
import type { Model } from '../first-layer/embeddings/model.js'
import type { ForeignClient } from '../first-layer/tokens/foreign/foreign-client.js'
import { startForeignThread } from '../first-layer/tokens/foreign/start-foreign-thread.js'
import type { ModelAdmin } from './admin.js'
import { bindIn } from './bind.js'
import { environmentCard, maxTableBytes } from './configured.js'
import { unloaded } from './entries.js'
import type { ModelEntry } from './entry.js'
import { Keeper } from './keeper.js'
import { Library } from './library.js'
import type { Maker } from './maker.js'
import { makerHere } from './making.js'
import { Models } from './models.js'
import { type TokenizerOf, Tokenizers } from './tokenizers.js'

export interface AloneOptions {
  readonly maker?: Maker | undefined
  readonly tokenizerOf?: TokenizerOf
  /** Models besides the environment's, each loaded when a request first asks for it. */
  readonly folders?: readonly ModelEntry[]
  /** Makes the `ModelAdmin` that requests get instead of the keeper. */
  readonly admin?: (keeper: Keeper) => ModelAdmin
}

/**
 * The models of a process that serves in one thread: the command line's, tests'. Loads the environment's model.
 */
export async function modelsAlone(
  config: Config,
  {
    maker = makerHere,
    tokenizerOf = tokenizersHere(),
    folders = [],
    admin = (keeper) => keeper,
  }: AloneOptions = {},
): Promise<Models> {
  const backend = await selectBackend(config.TF_BACKEND)
  const library = new Library<Model>(bindIn(0, tokenizerOf))
  const threads = {
    count: 1,
    put: async (entry: Parameters<typeof library.put>[0]) => ({ drained: library.put(entry) }),
    drop: async (id: string) => ({ drained: library.drop(id) }),
  }
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

/** The tokenizers of this thread; the library's thread is started when a model needs it. */
export function tokenizersHere(): TokenizerOf {
  let client: ForeignClient | undefined
  const tokenizers = new Tokenizers(() => {
    client ??= startForeignThread().client
    return client
  })
  return (card) => tokenizers.of(card)
}
