import type { FastifyInstance } from 'fastify'
import { mayUse } from '../../callers/allowed-models.js'
import { type Counts, countsByModel, NO_COUNTS } from '../../metrics/model-counts.js'
import type { ModelEntry } from '../../models/entry.js'
import { heldBytes } from '../../models/keeper/eviction.js'
import { type InferenceContext, type ModelPath, modelPaths } from './context.js'
import { pathModel } from './model-version.js'

/** `GET /v2/models/stats` and `GET /v2/models/{model}/stats`: the inferences of `/v2`, in all threads of the process. */
export function addStatistics(app: FastifyInstance, { models, figures }: InferenceContext): void {
  const sums = async () => countsByModel(await figures())
  app.get('/v2/models/stats', async (request) => {
    const all = await sums()
    const entries = models.entries().filter(({ card }) => mayUse(request, card.id))
    return { model_stats: entries.map((entry) => modelStatistics(entry, all.get(entry.card.id))) }
  })
  for (const path of modelPaths('stats')) {
    app.get<ModelPath>(path, async ({ params }) => {
      const entry = pathModel(models, params)
      return { model_stats: [modelStatistics(entry, (await sums()).get(entry.card.id))] }
    })
  }
}

/** A model's statistics as Triton's extension has them. `inference_count` counts documents, `execution_count` requests. */
function modelStatistics(entry: ModelEntry, sums: Counts = NO_COUNTS): object {
  const { successes, failures } = sums
  const duration = (ns: number, count = successes) => ({ count, ns })
  const bytes = heldBytes(entry)
  return {
    name: entry.card.id,
    version: entry.version === undefined ? '' : String(entry.version.number),
    last_inference: sums.last,
    inference_count: sums.items,
    execution_count: successes,
    inference_stats: {
      success: duration(sums.successNs),
      fail: duration(sums.failureNs, failures),
      queue: duration(sums.queueNs),
      compute_input: duration(sums.inputNs),
      compute_infer: duration(sums.inferNs),
      compute_output: duration(sums.outputNs),
      cache_hit: duration(0, 0),
      cache_miss: duration(0, 0),
    },
    response_stats: {},
    batch_stats: [],
    memory_usage: bytes === 0 ? [] : [{ type: 'CPU', id: 0, byte_size: bytes }],
  }
}
