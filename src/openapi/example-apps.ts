import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { modelSpec } from '../default-model.js'
import { loadModel } from '../embeddings/singleton.js'
import type { ServiceState } from './error-examples.js'

/** The service without configuration, and the two states in which it answers otherwise. No port is opened. */
export async function exampleApps(): Promise<Readonly<Record<ServiceState, FastifyInstance>>> {
  const logger = pino({ level: 'silent' })
  const config = readConfig({ TF_BACKEND: 'cpu' })
  const keyed = readConfig({ TF_BACKEND: 'cpu', API_KEYS: 'reader:not-a-secret' })
  const model = await loadModel(await modelSpec(config), {})
  return {
    ready: await buildApp(config, { logger, model: () => model }),
    keyed: await buildApp(keyed, { logger, model: () => model }),
    loading: await buildApp(config, { logger, model: () => undefined }),
  }
}
