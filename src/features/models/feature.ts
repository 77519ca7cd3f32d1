import { waitWithin } from '../../first-layer/running/wait.js'
import type { ModelEntry } from '../../models/entry.js'
import { addErrorHandling, SLASH_HINT } from '../../service/answer/errors.js'
import type { Feature } from '../../service/feature.js'
import type { Claim } from '../../service/process/turn.js'
import { turn } from '../../service/process/turn.js'
import { mayUse } from '../../service/request/checks/callers.js'
import { JSON_TYPE } from '../../service/request/checks/head-checks.js'
import { Reservation } from '../../service/request/claims.js'
import { type ModelPath, modelPath } from '../../service/request/fields/model-path.js'
import { type Describe, describing } from './describe-model.js'
import { addPutModel } from './put-model.js'
import { addTablesRoutes } from './tables.js'

/** `/v1/models`: what is served, and the admin’s changes. */
export const models: Feature = {
  name: 'models',
  routes(app, service) {
    const { models, config: limits } = service
    const { admin } = models
    app.register(async (below) => addErrorHandling(below, undefined, SLASH_HINT), { prefix: '/v1/models' })
    const describe = describing(limits, models)
    const media = { produces: [JSON_TYPE] }
    app.get(
      '/v1/models',
      { schema: { operationId: 'listModels' }, config: { media } },
      async (request, reply) => {
        reply.type('application/json; charset=utf-8')
        const entries = models.entries().filter(({ card }) => mayUse(request, card.id))
        return `{"object":"list","data":[${await textOfAll(entries, describe, request.claim)}]}`
      },
    )
    const one = { schema: { operationId: 'getModel', params: modelPath }, config: { media } }
    app.get('/v1/models/:model', one, async ({ params }) => describe(models.find(params.model)))

    addPutModel(app, models, describe)
    addTablesRoutes(app, service)
    const of = (operationId: string) => ({
      schema: { operationId },
      config: { needs: 'admin' as const, media },
    })
    app.post<ModelPath>('/v1/models/:model/load', of('loadModel'), async ({ claim, params }) =>
      describe(await waitWithin(admin.loadAnew(params.model), { claim })),
    )
    app.post<ModelPath>('/v1/models/:model/unload', of('unloadModel'), async ({ claim, params }) =>
      describe(await waitWithin(admin.unload(params.model), { claim })),
    )
    const remove = { schema: { operationId: 'deleteModel' }, config: { needs: 'admin' as const } }
    app.delete<ModelPath>('/v1/models/:model', remove, async ({ claim, params }, reply) => {
      await waitWithin(admin.remove(params.model), { claim })
      return reply.code(204).send()
    })
  },
}

/** Every model's description as JSON, with commas between them: a thousand take more than one turn. */
async function textOfAll(entries: readonly ModelEntry[], describe: Describe, claim: Claim): Promise<string> {
  const room = new Reservation(claim)
  let text = ''
  for (const entry of entries) {
    await turn(claim)
    text += `${text && ','}${JSON.stringify(await describe(entry))}`
    const wait = room.reach(text.length)
    if (wait !== undefined) await wait
  }
  return text
}
