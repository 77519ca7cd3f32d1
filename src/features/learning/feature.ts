import { Histogram } from 'prom-client'
import type { Feature, FirstThread } from '../../service/feature.js'
import { unusableDataDir } from '../../service/process/config.js'
import { WorkThread } from '../../service/process/work-thread.js'
import { CheckpointFolders } from './checkpoint-folders.js'
import { errors } from './errors.js'
import { Learning } from './learning.js'
import { addLearningRoutes } from './routes.js'
import type { TrainerPool } from './trainer-pool.js'

/** `/v1/models/{model}/optimizer`, `…/gradients`, `…/steps`, `…/checkpoint`: tables that learn. */
export const learning: Feature<Learning> = {
  name: 'learning',
  errors,
  requestHeaders: ['Idempotency-Key'],
  start: startLearning,
  routes(app, { models, config }, learning) {
    models.facts.set('learning', (id) => learning.state(id))
    addLearningRoutes(app, learning, models, config)
  },
}

/** Seconds: from few rows to large tables that are walked. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Learning in the process: its thread, and the models whose checkpoints earlier processes have left in DATA_DIR. */
async function startLearning(first: FirstThread): Promise<Learning> {
  const { config, logger, metrics, keeper } = first
  const { DATA_DIR } = config
  const folders =
    DATA_DIR === undefined ? undefined : new CheckpointFolders(DATA_DIR, config.DATA_QUOTA_BYTES)
  const broken = (model: string, reason: string) =>
    logger.error({ model, reason }, 'a checkpoint cannot be read')
  const stored = (await folders?.models(broken).catch(unusableDataDir)) ?? []
  const { work } = new WorkThread<TrainerPool>('learn.js', {
    ended: (cause) => first.died('The thread that learns', cause),
  })
  const seconds = new Histogram({
    name: 'inlet_learning_seconds',
    help: 'Time of gradients and steps in the thread that learns and before it, those that failed left out.',
    labelNames: ['call'] as const,
    buckets: BUCKETS,
    registers: [metrics.registry],
  })
  for (const call of ['gradients', 'step']) seconds.zero({ call })
  const count = (call: string, time: number) => seconds.observe({ call }, time)
  const learning = new Learning(keeper, work, { log: logger, folders, count })
  first.onEnd(() => learning.close())
  // Models that requests made and that learn: the configuration does not have them.
  first.afterModels(async () => {
    const known = new Set(keeper.entries().map(({ card }) => card.id))
    for (const entry of stored.filter(({ card }) => !known.has(card.id))) {
      await keeper.add(entry)
      if (config.MODELS_LOAD === 'start' && entry.state !== 'failed') await keeper.loadAtStart(entry.card.id)
    }
  })
  return learning
}
