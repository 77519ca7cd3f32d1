import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { modelSpec } from '../default-model.js'
import { loadModel } from '../embeddings/singleton.js'
import { aloneEntry } from '../models/alone.js'
import { seedCard } from '../models/card.js'
import { cardSchema } from '../models/card-fields.js'
import { inProcessModels } from '../models/in-process.js'
import { unloaded } from '../models/keeper.js'
import { EXAMPLE_KEYS, type ServiceState } from './error-examples.js'

/** A small model of the examples. */
const BOOK = { embedding_dim: 3, vocab_size: 6, max_position_embeddings: 4 }
const MAX_TABLE_BYTES = 2 ** 26

/** The service without configuration, and the states in which it answers otherwise. No port is opened. */
export async function exampleApps(): Promise<Readonly<Record<ServiceState, FastifyInstance>>> {
  const logger = pino({ level: 'silent' })
  const config = readConfig({ TF_BACKEND: 'cpu' })
  const API_KEYS = `reader:${EXAMPLE_KEYS.user}`
  const keyed = readConfig({ TF_BACKEND: 'cpu', API_KEYS })
  const managed = readConfig({ TF_BACKEND: 'cpu', API_KEYS, ADMIN_KEY: EXAMPLE_KEYS.admin })
  const model = await loadModel(await modelSpec(config), {})
  const { keeper, models } = inProcessModels(MAX_TABLE_BYTES)
  await keeper.add(aloneEntry(model))
  const withBook = inProcessModels(MAX_TABLE_BYTES)
  await withBook.keeper.add(unloaded(seedCard('book', cardSchema.parse(BOOK)), 'folder'))
  await withBook.keeper.load('book')
  return {
    ready: await buildApp(config, { logger, model: () => model, models }),
    keyed: await buildApp(keyed, { logger, model: () => model }),
    managed: await buildApp(managed, { logger, model: () => model, models: withBook.models }),
    loading: await buildApp(config, { logger, model: () => undefined }),
  }
}
