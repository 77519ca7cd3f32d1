import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { seedCard } from '../first-layer/cards/seed-card.js'
import { findArchitecture } from '../first-layer/embeddings/architectures/registry.js'
import type { Model } from '../first-layer/embeddings/model.js'
import type { Learning } from '../learning/learning.js'
import { localLearning } from '../learning/local-learning.js'
import { cardSchema } from '../models/cards/card-fields.js'
import { unloaded } from '../models/entry.js'
import { bindIn } from '../models/library/bind.js'
import { Library } from '../models/library/library.js'
import { Models } from '../models/library/models.js'
import { ownTokenizers, singleThreadModels } from '../models/single-thread.js'
import { environmentCard } from '../models/sources/environment.js'
import type { ServiceState } from './error-examples.js'
import { exampleDatasets, uploadExamples } from './example-datasets.js'
import { EXAMPLE_KEYS } from './example-keys.js'
import { beginToLearn } from './example-learning.js'

/** The card of a small model for the examples. */
const BOOK = { embedding_dim: 3, vocab_size: 6, max_position_embeddings: 4 }
/** The card of a static model for the examples. */
const WORDS = { embedding_dim: 3, position_embedding: 'none' }
const WORDS_POOLING = { flavour: 'model2vec', normalize: true, maxLength: 512, dtype: 'float32' } as const
/** The card of a checkpoint for the examples. */
const LLAMA = { embedding_dim: 2, architecture: 'llama' }
const NO_TOKENIZER = { type: 'none', reason: 'The folder has no tokenizer.json.' } as const
const MAX_TABLE_BYTES = 2 ** 26

/** The service in each state of the examples. None opens a port. */
export async function exampleApps(): Promise<Readonly<Record<ServiceState, FastifyInstance>>> {
  const logger = pino({ level: 'silent' })
  const config = readConfig({ TF_BACKEND: 'cpu' })
  const API_KEYS = `reader:${EXAMPLE_KEYS.user}`
  const keyed = readConfig({ TF_BACKEND: 'cpu', API_KEYS })
  const managed = readConfig({
    TF_BACKEND: 'cpu',
    API_KEYS,
    ADMIN_KEY: EXAMPLE_KEYS.admin,
    MAX_TABLE_BYTES: String(MAX_TABLE_BYTES),
  })
  const models = await singleThreadModels(config)
  const book = unloaded(seedCard('book', cardSchema.parse(BOOK)), 'folder')
  const rows = unloaded({ ...book.card, id: 'rows', tokenizer: NO_TOKENIZER }, 'folder')
  const [taught, fresh] = ['taught', 'fresh'].map((id) => unloaded({ ...book.card, id }, 'folder'))
  let learning: Learning | undefined
  const withBook = await singleThreadModels(managed, {
    folders: [book, rows, taught, fresh],
    admin(keeper) {
      learning = localLearning(keeper)
      return keeper
    },
  })
  await withBook.admin.load('book')
  const manager = await buildApp(managed, { logger, models: withBook, learning })
  await beginToLearn(manager)
  const words = unloaded({ ...seedCard('words', cardSchema.parse(WORDS)), pooling: WORDS_POOLING }, 'folder')
  const llama = unloaded(
    { ...seedCard('llama', cardSchema.parse(LLAMA)), layer: findArchitecture('llama') },
    'folder',
  )
  const withWords = await singleThreadModels(config, { folders: [words, llama] })
  const tokenizerOf = ownTokenizers()
  const library = new Library<Model>(bindIn(0, tokenizerOf))
  await library.put(unloaded(environmentCard(config), 'environment'))
  const starting = new Models({
    library,
    admin: models.admin,
    defaultModel: config.DEFAULT_MODEL,
    backend: () => undefined,
    tokenizerOf,
    isStarting: () => true,
  })
  const datasets = await exampleDatasets(config, logger)
  const ready = await buildApp(config, { logger, models, datasets })
  await uploadExamples(ready)
  return {
    ready,
    folders: await buildApp(config, { logger, models: withWords, datasets, learning }),
    keyed: await buildApp(keyed, { logger, models }),
    managed: manager,
    loading: await buildApp(config, { logger, models: starting }),
  }
}
