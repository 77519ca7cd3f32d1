import type { FastifyInstance } from 'fastify'
import { waitWithin } from '../../../load/wait-within.js'
import { optimizerRequest } from '../../../wire/schemas/learning.js'
import { jsonBody } from '../../body/json-body.js'
import type { ModelPath } from '../admin/model-path.js'
import { checkCanLearn, JSON_TYPE, type LearningContext } from './context.js'

/** `PUT`, `GET` and `DELETE /v1/models/{model}/optimizer`. */
export function addOptimizerRoutes(app: FastifyInstance, context: LearningContext): void {
  const { learning, models, variables } = context
  const path = '/v1/models/:model/optimizer'
  const media = { produces: [JSON_TYPE] }

  const put = { config: { learn: true, media: { consumes: [JSON_TYPE], ...media } } }
  app.put<ModelPath>(path, put, async (request, reply) => {
    const id = request.params.model
    checkCanLearn(models, id)
    const optimizer = await jsonBody(request, optimizerRequest, variables)
    const begun = await waitWithin(learning.begin(id, optimizer), request)
    reply.code(begun.made ? 201 : 200)
    return begun.optimizer
  })

  app.get<ModelPath>(path, { config: { learn: true, media } }, async (request) =>
    waitWithin(learning.describe(models.find(request.params.model).card.id), request),
  )

  app.delete<ModelPath>(path, { config: { learn: true } }, async (request, reply) => {
    await waitWithin(learning.end(models.find(request.params.model).card.id), request)
    return reply.code(204).send()
  })
}
