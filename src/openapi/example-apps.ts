import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import type { Model } from '../embeddings/model.js'
import { modelsAlone } from '../models/alone.js'
import { bindIn } from '../models/bind.js'
import { environmentCard } from '../models/configured.js'
import { unloaded } from '../models/keeper.js'
import { Library } from '../models/library.js'
import { Models } from '../models/models.js'
import type { ServiceState } from './error-examples.js'

/** The service without configuration, and the two states in which it answers otherwise. No port is opened. */
export async function exampleApps(): Promise<Readonly<Record<ServiceState, FastifyInstance>>> {
  const logger = pino({ level: 'silent' })
  const config = readConfig({ TF_BACKEND: 'cpu' })
  const keyed = readConfig({ TF_BACKEND: 'cpu', API_KEYS: 'reader:not-a-secret' })
  const models = await modelsAlone(config)
  const library = new Library<Model>(bindIn(0))
  await library.put(unloaded(environmentCard(config), 'environment'))
  const starting = new Models({
    library,
    admin: models.admin,
    defaultModel: config.DEFAULT_MODEL,
    backend: () => undefined,
    isStarting: () => true,
  })
  return {
    ready: await buildApp(config, { logger, models }),
    keyed: await buildApp(keyed, { logger, models }),
    loading: await buildApp(config, { logger, models: starting }),
  }
}
