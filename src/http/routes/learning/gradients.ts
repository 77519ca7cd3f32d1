import type { FastifyInstance, FastifyRequest } from 'fastify'
import { waitWithin } from '../../../load/wait-within.js'
import { safetensors } from '../../../wire/formats/safetensors.js'
import { readGradientsQuery } from '../../../wire/schemas/learning.js'
import { queryOf } from '../../body/embedding-source.js'
import type { ModelPath } from '../admin/model-path.js'
import { MAX_FILE_HEADER_BYTES } from '../admin/received/file-head.js'
import { callHead, digestOf } from './call-head.js'
import { checkCanLearn, JSON_TYPE, type LearningContext } from './context.js'
import { receiveFile } from './receive-file.js'

/** `POST /v1/models/{model}/gradients`: adds to what has come since the last step. */
export function addGradientsRoute(app: FastifyInstance, context: LearningContext): void {
  const { learning, models, variables } = context
  const media = { consumes: safetensors.mediaTypes, produces: [JSON_TYPE] }
  const limits = { file: variables.MAX_BODY_BYTES, header: MAX_FILE_HEADER_BYTES }
  app.post<ModelPath>(
    '/v1/models/:model/gradients',
    { config: { learn: true, media } },
    async (request, reply) => {
      const { params } = request
      checkCanLearn(models, params.model)
      const head = callHead(request)
      const options = readGradientsQuery(queryOf(request))
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
