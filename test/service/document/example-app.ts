import type { FastifyInstance, RouteOptions } from 'fastify'
import { pino } from 'pino'
import { cardSchema } from '../../../src/first-layer/cards/card-json.js'
import { seedCard } from '../../../src/first-layer/cards/seed-card.js'
import { findArchitecture } from '../../../src/first-layer/embeddings/architectures/registry.js'
import { unloaded } from '../../../src/models/entry.js'
import { buildApp } from '../../../src/service/app.js'
import { FEATURES, readConfig } from '../../../src/service/features.js'
import type { Keeper } from '../../../src/service/models/keeper/keeper.js'
import { firstThread } from '../../first-thread.js'
import { optional } from '../../optional.js'
import { singleThreadModels } from '../../single-thread.js'

const CITY = 'In the heart of the city stood the old library\nGood morning to you\nHello, world!\n'
const NUMBERS = 'One, two, three, four, five, six, seven\n'

/** The service that the document's examples ask, without a port: `default`, a static model, a checkpoint, two datasets. */
export async function exampleApp(onRoute?: (route: RouteOptions) => void): Promise<FastifyInstance> {
  const logger = pino({ level: 'silent' })
  const config = readConfig({ TF_BACKEND: 'cpu' })
  const card = (id: string, fields: object) => seedCard(id, cardSchema.parse(fields))
  const words = unloaded(
    {
      ...card('words', { embedding_dim: 3, position_embedding: 'none' }),
      pooling: { flavour: 'model2vec', normalize: true, maxLength: 512, dtype: 'float32' },
    },
    'folder',
  )
  const llama = unloaded(
    { ...card('llama', { embedding_dim: 2, architecture: 'llama' }), layer: findArchitecture('llama') },
    'folder',
  )
  const here = await optional<{ learningHere(keeper: Keeper): object }>('test/features/learning/here.ts')
  let learning: object | undefined
  const models = await singleThreadModels(config, {
    folders: [words, llama],
    admin(keeper) {
      learning = here?.learningHere(keeper)
      return keeper
    },
  })
  const datasets = await FEATURES.find(({ name }) => name === 'datasets')?.start?.(
    firstThread(config, logger),
  )
  const app = await buildApp(config, {
    logger,
    models,
    kept: { learning, datasets },
    ...(onRoute && { onRoute }),
  })
  for (const [name, payload] of Object.entries({ city: CITY, numbers: NUMBERS })) {
    const url = `/v1/datasets?encoding=gpt2&documents=lines&document_end=endoftext&name=${name}`
    await app.inject({ method: 'POST', url, headers: { 'content-type': 'text/plain' }, payload })
  }
  return app
}
