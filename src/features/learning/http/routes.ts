import type { FastifyRequest } from 'fastify'
import { waitWithin } from '../../../first-layer/running/wait.js'
import { safetensors } from '../../../service/answer/formats/safetensors.js'
import type { FeatureApp } from '../../../service/feature.js'
import { MAX_FILE_HEADER_BYTES } from '../../../service/request/body/file-reader.js'
import { parseTags } from '../../../service/request/entity-tags.js'
import { type ModelPath, modelPath } from '../../../service/request/fields/model-path.js'
import { callHead, checkNoPart, digestOf } from './call-head.js'
import { addCheckpointRoutes } from './checkpoint.js'
import { checkCanLearn, JSON_TYPE, type LearningContext } from './context.js'
import { receiveFile } from './receive-file.js'
import { gradientsQuery, optimizerRequest, stepRequest } from './schemas.js'

/** The routes of learning: a trainer's optimizer, gradients, steps and checkpoints. */
export function addLearningRoutes(app: FeatureApp, context: LearningContext): void {
  addOptimizerRoutes(app, context)
  addGradientsRoute(app, context)
  addStepsRoute(app, context)
  addCheckpointRoutes(app, context)
}

/** `PUT`, `GET` and `DELETE /v1/models/{model}/optimizer`. */
function addOptimizerRoutes(app: FeatureApp, { learning, models }: LearningContext): void {
  const path = '/v1/models/:model/optimizer'
  const media = { produces: [JSON_TYPE] }

  const put = {
    schema: { operationId: 'putOptimizer', params: modelPath, body: optimizerRequest },
    config: { needs: 'learn' as const, media: { consumes: [JSON_TYPE], ...media } },
  }
  app.put(path, put, async (request, reply) => {
    const id = request.params.model
    checkCanLearn(models, id)
    const begun = await waitWithin(learning.begin(id, request.body), request)
    reply.code(begun.made ? 201 : 200)
    return begun.optimizer
  })

  const get = { schema: { operationId: 'getOptimizer' }, config: { needs: 'learn' as const, media } }
  app.get<ModelPath>(path, get, async (request) =>
    waitWithin(learning.describe(models.find(request.params.model).card.id), request),
  )

  const end = { schema: { operationId: 'deleteOptimizer' }, config: { needs: 'learn' as const } }
  app.delete<ModelPath>(path, end, async (request, reply) => {
    await waitWithin(learning.end(models.find(request.params.model).card.id), request)
    return reply.code(204).send()
  })
}

/** `POST /v1/models/{model}/steps`: moves the tables by the received gradients. */
function addStepsRoute(app: FeatureApp, { learning, models }: LearningContext): void {
  const media = { consumes: [JSON_TYPE], produces: [JSON_TYPE] }
  app.post(
    '/v1/models/:model/steps',
    {
      schema: { operationId: 'makeStep', params: modelPath, body: stepRequest },
      config: { needs: 'learn', media },
    },
    async (request, reply) => {
      const id = request.params.model
      checkCanLearn(models, id)
      const head = callHead(request)
      checkNoPart(head)
      const ifVersions = versionsToMatch(request)
      const options = request.body
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

/** `POST /v1/models/{model}/gradients`: adds to the gradients since the last step. */
function addGradientsRoute(app: FeatureApp, context: LearningContext): void {
  const { learning, models, variables } = context
  const media = { consumes: safetensors.mediaTypes, produces: [JSON_TYPE] }
  const limits = { file: variables.MAX_BODY_BYTES, header: MAX_FILE_HEADER_BYTES }
  app.post(
    '/v1/models/:model/gradients',
    {
      schema: { operationId: 'addGradients', params: modelPath, querystring: gradientsQuery },
      config: { needs: 'learn', media },
    },
    async (request, reply) => {
      const { params } = request
      checkCanLearn(models, params.model)
      const head = callHead(request)
      const options = request.query
      const answer = await withBody(request, (body, digest) => {
        const call = {
          kind: 'gradients',
          ...head,
          digest: digestOf('gradients', options, head.part, digest),
        } as const
        return learning.call(params.model, { ...call, options, body }, null)
      })
      reply.header('x-model-version', answer.model_version)
      return answer
    },
  )

  /** Runs `use` with the request's body, whose memory is held until it has settled: it reads on where a deadline passes. */
  async function withBody<Result>(
    request: FastifyRequest,
    use: (body: Uint8Array, digest: string) => Promise<Result>,
  ): Promise<Result> {
    const { claim } = request
    let body: Uint8Array | undefined
    const digest = await receiveFile(request, limits, async (bytes) => {
      const wait = claim.take(bytes)
      if (wait !== undefined) await wait
      body = new Uint8Array(new SharedArrayBuffer(bytes)) // which the thread that learns reads where it is
      return body
    })
    const using = use(body!, digest)
    claim.outlast(using)
    return waitWithin(using, request)
  }
}
