import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkMayUse } from '../../callers/allowed-models.js'
import { InletError, shown } from '../../errors.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import { drive } from '../../load/drive.js'
import type { Metrics } from '../../metrics/metrics.js'
import { UpstreamMetrics } from '../../metrics/upstream-metrics.js'
import type { Models } from '../../models/library/models.js'
import { completionWithIds } from '../../requests/completion-ids.js'
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
  const sendsIds = variables.UPSTREAM_SEND === 'ids'

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
    if (sendsIds) {
      if (softPrompt !== undefined) throw needsRows(softPrompt.name, 'soft_prompt')
      const withIds = () => completionWithIds(model, bytes, prompt, addSpecialTokens, claim)
      return forward(request, reply, upstream, await timed(request, withIds), figures)
    }
    const soft = named(id, softPrompt, 'soft_prompt')
    const withRows = () => completionWithRows(model, bytes, prompt, addSpecialTokens, claim, soft)
    const body = await timed(request, withRows)
    return forward(request, reply, upstream, body, figures)
  })

  app.post(CHAT, options, async (request, reply) => {
    const { claim } = request
    const bytes = await readBody(request, variables.MAX_JSON_BODY_BYTES)
    const chat = await drive(claim, readChat(bytes, most))
    if (sendsIds) {
      if (chat.softPrompt !== undefined) throw needsRows(chat.softPrompt.name, 'prompt')
      checkMayUse(request, chat.model ?? models.defaultModel)
      return forward(request, reply, upstream, SplicedBody.asItCame(bytes), figures)
    }
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

/** 422: a soft prompt has no ids. */
function needsRows(name: string, field: string): InletError {
  const rule = `\`${field}\` needs a model server that gets rows: UPSTREAM_SEND is ids`
  return new InletError('unsupported_combination', `${rule}. Given: ${shown(name)}`, field)
}

/** Notes tokens and time for the log. */
async function timed(request: FastifyRequest, make: () => Promise<RowsBody>): Promise<SplicedBody> {
  const started = performance.now()
  request.trace?.enter('tokenize')
  const { body, numTokens } = await make()
  request.figures = { numTokens, tokenizeMs: performance.now() - started }
  return body
}
