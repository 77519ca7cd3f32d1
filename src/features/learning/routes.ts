import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkHasTables } from '../../first-layer/embeddings/model.js'
import { safetensors } from '../../first-layer/formats/formats.js'
import { optimizerOptions, stepOptions } from '../../first-layer/learning/optimizer-options.js'
import { waitWithin } from '../../first-layer/running/wait.js'
import { inBlocks } from '../../first-layer/tensors/blocks.js'
import { MAX_INT32 } from '../../first-layer/windows/id-lists.js'
import { maxTableBytes } from '../../models/environment.js'
import { InletError, shown } from '../../service/answer/error-table.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { FeatureApp } from '../../service/feature.js'
import { noCard } from '../../service/models/errors.js'
import type { Models } from '../../service/models/library/models.js'
import type { Remote } from '../../service/process/channel.js'
import type { Config } from '../../service/process/config.js'
import { bodyChunks, checkContentLength, contentCoding } from '../../service/request/body/read-body.js'
import { JSON_ONLY, JSON_TYPE } from '../../service/request/checks/head-checks.js'
import { parseTags } from '../../service/request/entity-tags.js'
import { type ModelPath, modelPath } from '../../service/request/fields/model-path.js'
import { Reservation } from '../../service/request/load/request-claim.js'
import type { Begun, Learning } from './learning.js'

/** The query of `POST /v1/models/{model}/gradients`. */
const gradientsQuery = z.strictObject({
  position_offset: z
    .int()
    .min(0)
    .max(MAX_INT32)
    .optional()
    .describe('Position of the first column of `gradients`, where `position_ids` are not sent. Default: 0.'),
})

const KEY = /^[\x21-\x7e]{1,255}$/
/** Most bytes of a checkpoint that a caller puts: larger shared memory cannot be had on each Node. */
const MOST_CHECKPOINT_BYTES = 2 ** 32
const CONFIG = { needs: 'learn' as const, media: { produces: [JSON_TYPE] } }
const TAKES_JSON = { needs: 'learn' as const, ...JSON_ONLY }
const TAKES_FILE = {
  needs: 'learn' as const,
  media: { consumes: safetensors.mediaTypes, produces: [JSON_TYPE] },
}
const GIVES_FILE = { needs: 'learn' as const, media: { produces: safetensors.mediaTypes } }

/** `…/optimizer`, `…/gradients`, `…/steps` and `…/checkpoint` below `/v1/models/{model}`. */
export function addLearningRoutes(
  app: FeatureApp,
  learning: Remote<Learning>,
  models: Models,
  config: Config,
): void {
  const path = '/v1/models/:model'
  const mostBytes = Math.min(maxTableBytes(config), MOST_CHECKPOINT_BYTES)
  const idOf = (request: FastifyRequest<ModelPath>) => models.find(request.params.model).card.id
  const begun = (reply: FastifyReply, { made, optimizer }: Begun) => {
    reply.code(made ? 201 : 200)
    return optimizer
  }

  const putOptimizer = { operationId: 'putOptimizer', params: modelPath, body: optimizerOptions }
  app.put(`${path}/optimizer`, { schema: putOptimizer, config: TAKES_JSON }, async (request, reply) => {
    const id = learnableModel(models, request.params.model)
    return begun(reply, await waitWithin(learning.begin(id, request.body), request))
  })

  app.get<ModelPath>(
    `${path}/optimizer`,
    { schema: { operationId: 'getOptimizer' }, config: CONFIG },
    (request) => waitWithin(learning.describe(idOf(request)), request),
  )

  const end = { schema: { operationId: 'deleteOptimizer' }, config: { needs: 'learn' as const } }
  app.delete<ModelPath>(`${path}/optimizer`, end, async (request, reply) => {
    await waitWithin(learning.end(idOf(request)), request)
    return reply.code(204).send()
  })

  const addGradients = { operationId: 'addGradients', params: modelPath, querystring: gradientsQuery }
  app.post(`${path}/gradients`, { schema: addGradients, config: TAKES_FILE }, async (request, reply) => {
    const id = learnableModel(models, request.params.model)
    const { query: options } = request
    const call = {
      kind: 'gradients',
      key: keyOf(request),
      ifVersions: versionsToMatch(request),
      options,
    } as const
    const answer = await withBody(request, config.MAX_BODY_BYTES, (body, sha256) =>
      learning.call(id, { ...call, digest: digestOf('gradients', options, sha256), body }),
    )
    reply.header('x-model-version', answer.model_version)
    return answer
  })

  const makeStep = { operationId: 'makeStep', params: modelPath, body: stepOptions }
  app.post(`${path}/steps`, { schema: makeStep, config: TAKES_JSON }, async (request, reply) => {
    const id = learnableModel(models, request.params.model)
    const { body: options } = request
    const call = { kind: 'step', key: keyOf(request), ifVersions: versionsToMatch(request), options } as const
    const done = learning.call(id, { ...call, digest: digestOf('step', options) })
    const answer = await waitWithin(done, request)
    reply.header('x-model-version', answer.model_version)
    return answer
  })

  app.get<ModelPath>(
    `${path}/checkpoint`,
    { schema: { operationId: 'getCheckpoint' }, config: GIVES_FILE },
    async (request, reply) => {
      const id = idOf(request)
      const room = new Reservation(request.claim)
      for (let most = 0; ; ) {
        const { bytes, file, version } = await waitWithin(learning.checkpoint(id, most), request)
        await room.reach(bytes)
        most = bytes
        if (file === undefined) continue // gradients that come meanwhile make it larger
        reply.header('x-model-version', version)
        const answer = { size: bytes, exact: true, body: inBlocks(file) }
        return sendEncoded(request, reply, answer, request.negotiated.mediaType, bytes)
      }
    },
  )

  app.put<ModelPath>(
    `${path}/checkpoint`,
    { schema: { operationId: 'putCheckpoint' }, config: TAKES_FILE },
    async (request, reply) => {
      const id = learnableModel(models, request.params.model)
      const made = await withBody(request, mostBytes, (body) => learning.restore(id, body))
      reply.header('x-model-version', made.optimizer.model_version)
      return begun(reply, made)
    },
  )

  app.post<ModelPath>(
    `${path}/checkpoint`,
    { schema: { operationId: 'saveCheckpoint' }, config: CONFIG },
    (request) => waitWithin(learning.save(idOf(request)), request),
  )
}

/**
 * The id of a model that could learn here.
 *
 * @throws InletError `model_not_found`, `model_loading`, `model_failed`; `unsupported_combination` under TensorFlow, and
 *   for tables of 16 bits
 */
export function learnableModel(models: Models, id: string): string {
  const entry = models.find(id)
  if (entry.hasNoCard) throw noCard(entry)
  checkHasTables(entry.card)
  if (models.backend?.name === 'tensorflow') {
    const message = 'Models learn under `TF_BACKEND` cpu alone. Given: tensorflow'
    throw new InletError('unsupported_combination', message, 'model')
  }
  const { dtype } = entry.card
  if (dtype === 'float32') return id
  const how = `GET /v1/models/${id}/tables, widen its tensors to F32, and PUT the file as a model of another id`
  const message = `\`model\` ${id} must have float32 tables to learn: ${how}. Given: ${dtype}`
  throw new InletError('unsupported_combination', message, 'model')
}

/** @throws InletError `invalid_request` */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || KEY.test(String(key))) return key as string | undefined
  const message = `\`Idempotency-Key\` must be 1 to 255 visible ASCII characters. Given: ${shown(key)}`
  throw new InletError('invalid_request', message, 'idempotency-key')
}

/** SHA-256 of a call's content, in hex. @param sha256 of its body, if it has one */
function digestOf(kind: string, options: object, sha256 = ''): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, options, sha256]))
    .digest('hex')
}

/** The versions that `If-Match` names; null where it allows any. @throws InletError `invalid_request` */
function versionsToMatch({ headers }: FastifyRequest): readonly string[] | null {
  const header = headers['if-match']
  const tags = header === undefined ? '*' : parseTags(header, 'if-match')
  if (tags === '*') return null
  return tags.filter(({ weak }) => !weak).map(({ value }) => value.slice(1, -1))
}

/**
 * Runs `use` with the request's body in memory that the thread that learns reads where it is, and with its SHA-256 in hex. The
 * request's claim holds that memory until `use` has settled: it reads on where a deadline passes.
 */
async function withBody<Result>(
  request: FastifyRequest,
  most: number,
  use: (body: Uint8Array, sha256: string) => Promise<Result>,
): Promise<Result> {
  checkContentLength(request, most)
  const { claim, headers } = request
  const room = new Reservation(claim)
  const isPacked = contentCoding(request) !== undefined
  const maxByteLength = isPacked ? most : Number(headers['content-length'] ?? most)
  const memory = new SharedArrayBuffer(0, { maxByteLength })
  const hash = createHash('sha256')
  for await (const chunk of bodyChunks(request, most)) {
    const at = memory.byteLength
    await room.reach(at + chunk.length)
    memory.grow(at + chunk.length)
    new Uint8Array(memory, at).set(chunk)
    hash.update(chunk)
  }
  const using = use(new Uint8Array(memory, 0, memory.byteLength), hash.digest('hex'))
  claim.outlast(using)
  return waitWithin(using, request)
}
