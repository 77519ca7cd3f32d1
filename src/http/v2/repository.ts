import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { mayUse } from '../../callers/allowed-models.js'
import { waitWithin } from '../../load/wait-within.js'
import type { ModelEntry } from '../../models/entry.js'
import { isTurnOver, nextTurn } from '../../turn.js'
import { repositoryIndex, repositoryLoad, repositoryUnload } from '../../wire/inference/repository.js'
import { parsedBody } from '../body/json-body.js'
import { readBody } from '../body/read-body.js'
import type { LimitVariables } from '../limit-variables.js'
import type { InferenceContext, ModelPath } from './context.js'

const STATES = { ready: 'READY', loading: 'LOADING', unloaded: 'UNAVAILABLE', failed: 'UNAVAILABLE' } as const
const EMPTY = Buffer.from('{}')

/** The model repository: its index, which needs no admin key, and loading and unloading, which do. */
export function addRepository(app: FastifyInstance, { models, limits }: InferenceContext): void {
  app.post('/v2/repository/index', async (request) => {
    const { ready } = await optionalBody(request, repositoryIndex, limits)
    const index: object[] = []
    for (const entry of models.entries()) {
      if (isTurnOver()) await nextTurn(request.claim)
      if ((!ready || entry.state === 'ready') && mayUse(request, entry.card.id)) index.push(indexed(entry))
    }
    return index
  })

  const options = { config: { admin: true } }
  app.post<ModelPath>('/v2/repository/models/:model/load', options, async (request) => {
    await optionalBody(request, repositoryLoad, limits)
    const { card } = await waitWithin(models.admin.load(request.params.model), request)
    return { name: card.id, load: true }
  })
  app.post<ModelPath>('/v2/repository/models/:model/unload', options, async (request) => {
    await optionalBody(request, repositoryUnload, limits)
    const { card } = await waitWithin(models.admin.unload(request.params.model), request)
    return { name: card.id, unload: true }
  })
}

function indexed({ card, version, state, error }: ModelEntry): object {
  return {
    name: card.id,
    version: version === undefined ? '' : String(version.number),
    state: STATES[state],
    ...(error && { reason: error.message }),
  }
}

/** A body of JSON that may be left out. @throws InletError as `jsonBody` */
async function optionalBody<S extends z.ZodType>(
  request: FastifyRequest,
  schema: S,
  limits: LimitVariables,
): Promise<z.output<S>> {
  const body = await readBody(request, limits.MAX_JSON_BODY_BYTES)
  return parsedBody(request, body.length === 0 ? EMPTY : body, schema, limits)
}
