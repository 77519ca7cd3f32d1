import type { FastifyInstance, FastifyRequest } from 'fastify'
import { waitWithin } from '../../../load/wait-within.js'
import { stepRequest } from '../../../wire/schemas/learning.js'
import { jsonBody } from '../../body/json-body.js'
import type { ModelPath } from '../admin/model-path.js'
import { parseTags } from '../admin/tags/entity-tags.js'
import { callHead, checkNoPart, digestOf } from './call-head.js'
import { checkCanLearn, JSON_TYPE, type LearningContext } from './context.js'

/** `POST /v1/models/{model}/steps`: moves the tables by the gradients that have come. */
export function addStepsRoute(app: FastifyInstance, context: LearningContext): void {
  const { learning, models, variables } = context
  const media = { consumes: [JSON_TYPE], produces: [JSON_TYPE] }
  app.post<ModelPath>(
    '/v1/models/:model/steps',
    { config: { learn: true, media } },
    async (request, reply) => {
      const id = request.params.model
      checkCanLearn(models, id)
      const head = callHead(request)
      checkNoPart(head)
      const ifVersions = versionsToMatch(request)
      const options = await jsonBody(request, stepRequest, variables)
      const call = {
        kind: 'step',
        ...head,
        digest: digestOf('step', options),
        options,
        body: new Uint8Array(),
      } as const
      const answer = await waitWithin(learning.call(id, call, ifVersions), request)
      reply.header('x-model-version', answer.model_version)
      return answer
    },
  )
}

/** The versions that `If-Match` names; null where it allows any. @throws InletError `invalid_request` */
function versionsToMatch({ headers }: FastifyRequest): readonly string[] | null {
  const header = headers['if-match']
  const tags = header === undefined ? '*' : parseTags(header, 'if-match')
  if (tags === '*') return null
  return tags.filter(({ weak }) => !weak).map(({ value }) => value.slice(1, -1))
}
