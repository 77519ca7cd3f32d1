import type { FastifyInstance } from 'fastify'
import type { Models } from '../../../models/library/models.js'
import { staticPooling } from '../../../requests/static-model.js'
import { MAX_EMBEDDINGS } from '../../../wire/schemas/given-field.js'
import type { ModelPath } from '../admin/model-path.js'

/** The version of Text Embeddings Inference whose interface this is. */
const VERSION = '1.9.3'
/** Stands where there is no bound. */
const UNBOUNDED = 2 ** 31 - 1

/** `GET /tei/{model}/info` and `/health`. */
export function addTeiFacts(app: FastifyInstance, models: Models): void {
  const options = { config: { media: { produces: ['application/json'] } } }

  app.get<ModelPath>('/tei/:model/info', options, async ({ params }) => {
    const card = models.card(params.model)
    const longest = staticPooling(card).maxLength ?? UNBOUNDED
    return {
      ...{ model_id: card.id, model_sha: null, model_dtype: card.dtype, served_model_name: card.id },
      model_type: { embedding: { pooling: 'mean' } },
      ...{ max_concurrent_requests: UNBOUNDED, max_input_length: longest, max_batch_tokens: UNBOUNDED },
      ...{ max_batch_requests: null, max_client_batch_size: MAX_EMBEDDINGS, auto_truncate: true },
      ...{ tokenization_workers: 1, version: VERSION, sha: null, docker_label: null },
    }
  })

  /** 200 without a body where the model can be asked. */
  app.get<ModelPath>('/tei/:model/health', async ({ params }, reply) => {
    staticPooling(models.card(params.model))
    return reply.code(200).send()
  })
}
