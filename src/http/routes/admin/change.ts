import type { FastifyInstance } from 'fastify'
import { waitWithin } from '../../../load/wait-within.js'
import type { ModelAdminContext } from './context.js'
import type { ModelPath } from './model-path.js'

/** `POST /v1/models/{model}/load` and `/unload`, `DELETE /v1/models/{model}`. */
export function addChangeRoutes(
  app: FastifyInstance,
  { models: { admin }, describe }: ModelAdminContext,
): void {
  const options = { config: { admin: true, media: { produces: ['application/json'] } } }

  app.post<ModelPath>('/v1/models/:model/load', options, async ({ claim, params }) =>
    describe(await waitWithin(admin.load(params.model), { claim })),
  )

  app.post<ModelPath>('/v1/models/:model/unload', options, async ({ claim, params }) =>
    describe(await waitWithin(admin.unload(params.model), { claim })),
  )

  app.delete<ModelPath>(
    '/v1/models/:model',
    { config: { admin: true } },
    async ({ claim, params }, reply) => {
      await waitWithin(admin.remove(params.model), { claim })
      return reply.code(204).send()
    },
  )
}
