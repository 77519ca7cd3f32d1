import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkMayUse } from '../../callers/allowed-models.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import { drive } from '../../load/drive.js'
import type { Metrics } from '../../metrics/metrics.js'
import { UpstreamMetrics } from '../../metrics/upstream-metrics.js'
import type { Models } from '../../models/library/models.js'
import {
  chatWithRows,
  completionWithRows,
  type NamedRows,
  type RowsBody,
} from '../../requests/completion-rows.js'
import type { NamedPrompt } from '../../wire/completions/body-head.js'
import { readChat } from '../../wire/completions/chat.js'
import { readCompletion } from '../../wire/completions/completion.js'
import { SplicedBody } from '../../wire/completions/spliced-body.js'
import { readBody } from '../body/read-body.js'
import { leased } from '../lifetime/lease.js'
import type { LimitVariables } from '../limit-variables.js'
import { forward } from '../proxy/forward.js'
import { Upstream, type UpstreamVariables } from '../proxy/upstream.js'

const COMPLETIONS = '/v1/completions'
const CHAT = '/v1/chat/completions'

/** `POST /v1/completions` and `POST /v1/chat/completions`, where there is a model server to pass them on to. */
export function addCompletionRoutes(
  app: FastifyInstance,
  models: Models,
  variables: LimitVariables & UpstreamVariables,
  metrics: Metrics,
): void {
  if (variables.UPSTREAM_URL === undefined) return
  const upstream = new Upstream(variables.UPSTREAM_URL, variables)
  app.addHook('onClose', async () => upstream.close())
  const figures = new UpstreamMetrics(metrics.registry, [COMPLETIONS, CHAT])
  const produces = ['application/json', 'text/event-stream']
  const options = { config: { media: { consumes: ['application/json'], produces } } }
  const most = variables.MAX_DOCUMENTS

  app.post(COMPLETIONS, options, async (request, reply) => {
    const { claim } = request
    const bytes = await readBody(request, variables.MAX_JSON_BODY_BYTES)
    const completion = await drive(claim, readCompletion(bytes, most))
    const { prompt, model: id, addSpecialTokens = true, softPrompt } = completion
    if (prompt === undefined) {
      checkMayUse(request, id ?? models.defaultModel)
      return forward(request, reply, upstream, SplicedBody.asItCame(bytes), figures)
    }
    const model = await leased(request, models, id)
    const soft = named(id, softPrompt, 'soft_prompt')
    const body = await timed(request, () =>
      completionWithRows(model, bytes, prompt, addSpecialTokens, claim, soft),
    )
    return forward(request, reply, upstream, body, figures)
  })

  app.post(CHAT, options, async (request, reply) => {
    const { claim } = request
    const bytes = await readBody(request, variables.MAX_JSON_BODY_BYTES)
    const chat = await drive(claim, readChat(bytes, most))
    const model: Model = await leased(request, models, chat.model)
    const soft = named(chat.model, chat.softPrompt, 'prompt')
    const body = await timed(request, () => chatWithRows(model, bytes, chat, claim, soft))
    return forward(request, reply, upstream, body, figures)
  })

  /** The soft prompt that a body names, as it is now. */
  function named(
    model: string | undefined,
    at: NamedPrompt | undefined,
    field: string,
  ): NamedRows | undefined {
    return at && { prompt: models.prompt(model, at.name, field), at }
  }
}

/** Notes tokens and time for the log. */
async function timed(request: FastifyRequest, make: () => Promise<RowsBody>): Promise<SplicedBody> {
  const started = performance.now()
  request.trace?.enter('tokenize')
  const { body, numTokens } = await make()
  request.figures = { numTokens, tokenizeMs: performance.now() - started }
  return body
}
