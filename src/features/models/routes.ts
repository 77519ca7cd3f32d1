import { type Claim, isTurnOver, nextTurn } from '../../first-layer/running/drive.js'
import type { FeatureApp } from '../../service/feature.js'
import type { ModelEntry } from '../../service/models/entry.js'
import type { Models } from '../../service/models/library/models.js'
import { mayUse } from '../../service/request/checks/callers.js'
import { modelPath } from '../../service/request/fields/model-path.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'
import { Reservation } from '../../service/request/load/request-claim.js'
import { type Describe, describeModel } from './describe-model.js'

/** Makes the function that describes a model. It loads the model's tokenizer where that is not loaded yet. */
export function describing(limits: LimitVariables, models: Models): Describe {
  const shown = {
    max_body_bytes: limits.MAX_BODY_BYTES,
    max_json_body_bytes: limits.MAX_JSON_BODY_BYTES,
    max_json_response_bytes: limits.MAX_JSON_RESPONSE_BYTES,
    max_response_bytes: limits.MAX_RESPONSE_BYTES,
    max_documents: limits.MAX_DOCUMENTS,
  }
  const started = Math.floor(Date.now() / 1000)
  return async (entry) => {
    const { specialTokens, endOfText, unavailable } = await models.tokenizerOf(entry.card)
    const tokenizer = { specialTokens, endOfText, unavailable }
    const learning = entry.isOwned ? await models.facts.get('learning')?.(entry.card.id) : undefined
    return describeModel(entry, tokenizer, learning, { backend: models.backend, limits: shown, started })
  }
}

/** `GET /v1/models` and `GET /v1/models/{model}`. */
export function addModelRoutes(app: FeatureApp, models: Models, describe: Describe): void {
  const config = { media: { produces: ['application/json'] } }
  app.get('/v1/models', { schema: { operationId: 'listModels' }, config }, async (request, reply) => {
    reply.type('application/json; charset=utf-8')
    const entries = models.entries().filter(({ card }) => mayUse(request, card.id))
    return `{"object":"list","data":[${await textOfAll(entries, describe, request.claim)}]}`
  })
  const one = { schema: { operationId: 'getModel', params: modelPath }, config }
  app.get('/v1/models/:model', one, async ({ params }) => describe(models.find(params.model)))
}

/** Every model's description as JSON, with commas between them: a thousand take more than one turn. */
async function textOfAll(entries: readonly ModelEntry[], describe: Describe, claim: Claim): Promise<string> {
  const room = new Reservation(claim)
  let text = ''
  for (const entry of entries) {
    if (isTurnOver()) await nextTurn(claim)
    text += `${text && ','}${JSON.stringify(await describe(entry))}`
    const wait = room.reach(text.length)
    if (wait !== undefined) await wait
  }
  return text
}
