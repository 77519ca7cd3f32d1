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
import { Reservation } from '../../service/request/claims.js'
import { parseTags } from '../../service/request/entity-tags.js'
import { modelPath } from '../../service/request/fields/model-path.js'
import type { Begun, CallAnswer, Learning } from './learning.js'

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
const GIVES_JSON = { media: { produces: [JSON_TYPE] } }
const TAKES_FILE = { media: { consumes: safetensors.mediaTypes, produces: [JSON_TYPE] } }

/** The options of a route that needs the right to learn. @param media what it takes and gives */
function learns<Schema extends object, Media extends object>(schema: Schema, media: Media) {
  return { schema: { params: modelPath, ...schema }, config: { needs: 'learn' as const, ...media } }
}

/** `…/optimizer`, `…/gradients`, `…/steps` and `…/checkpoint` below `/v1/models/{model}`. */
export function addLearningRoutes(
  app: FeatureApp,
  learning: Remote<Learning>,
  models: Models,
  config: Config,
): void {
  const path = '/v1/models/:model'
  const mostBytes = Math.min(maxTableBytes(config), MOST_CHECKPOINT_BYTES)
  const idOf = ({ params }: { params: { model: string } }) => models.find(params.model).card.id
  const begun = (reply: FastifyReply, { made, optimizer }: Begun) => {
    reply.code(made ? 201 : 200)
    return optimizer
  }
  const called = (reply: FastifyReply, answer: CallAnswer) => {
    reply.header('x-model-version', answer.model_version)
    return answer
  }

  const putOptimizer = learns({ operationId: 'putOptimizer', body: optimizerOptions }, JSON_ONLY)
  app.put(`${path}/optimizer`, putOptimizer, async (request, reply) => {
    const id = learnableModel(models, request.params.model)
    return begun(reply, await waitWithin(learning.begin(id, request.body), request))
  })

  app.get(`${path}/optimizer`, learns({ operationId: 'getOptimizer' }, GIVES_JSON), (request) =>
    waitWithin(learning.describe(idOf(request)), request),
  )

  app.delete(`${path}/optimizer`, learns({ operationId: 'deleteOptimizer' }, {}), async (request, reply) => {
    await waitWithin(learning.end(idOf(request)), request)
    return reply.code(204).send()
  })

  const addGradients = learns({ operationId: 'addGradients', querystring: gradientsQuery }, TAKES_FILE)
  app.post(`${path}/gradients`, addGradients, async (request, reply) => {
    const id = learnableModel(models, request.params.model)
    const call = { kind: 'gradients' as const, options: request.query, ...guardsOf(request) }
    const answer = await withBody(request, config.MAX_BODY_BYTES, (body, sha256) =>
      learning.call(id, { ...call, sha256, body }),
    )
    return called(reply, answer)
  })

  const makeStep = learns({ operationId: 'makeStep', body: stepOptions }, JSON_ONLY)
  app.post(`${path}/steps`, makeStep, async (request, reply) => {
    const id = learnableModel(models, request.params.model)
    const call = { kind: 'step' as const, options: request.body, ...guardsOf(request) }
    return called(reply, await waitWithin(learning.call(id, call), request))
  })

  const getCheckpoint = { media: { produces: safetensors.mediaTypes } }
  app.get(
    `${path}/checkpoint`,
    learns({ operationId: 'getCheckpoint' }, getCheckpoint),
    async (request, reply) => {
      const { file, version } = await waitWithin(learning.checkpoint(idOf(request)), request)
      await request.claim.take(file.length)
      reply.header('x-model-version', version)
      const answer = { size: file.length, exact: true, body: inBlocks(file) }
      return sendEncoded(request, reply, answer, request.negotiated.mediaType, file.length)
    },
  )

  const putCheckpoint = learns({ operationId: 'putCheckpoint' }, TAKES_FILE)
  app.put(`${path}/checkpoint`, putCheckpoint, async (request, reply) => {
    const id = learnableModel(models, request.params.model)
    const made = await withBody(request, mostBytes, (body) => learning.restore(id, body))
    reply.header('x-model-version', made.optimizer.model_version)
    return begun(reply, made)
  })

  app.post(`${path}/checkpoint`, learns({ operationId: 'saveCheckpoint' }, GIVES_JSON), (request) =>
    waitWithin(learning.save(idOf(request)), request),
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

/**
 * What keeps a call from having its effect twice: its key, and the versions that `If-Match` names, null where it allows any.
 *
 * @throws InletError `invalid_request`
 */
function guardsOf({ headers }: Pick<FastifyRequest, 'headers'>) {
  const { 'idempotency-key': key, 'if-match': header } = headers
  if (key !== undefined && !KEY.test(String(key))) {
    const message = `\`Idempotency-Key\` must be 1 to 255 visible ASCII characters. Given: ${shown(key)}`
    throw new InletError('invalid_request', message, 'idempotency-key')
  }
  const tags = header === undefined ? '*' : parseTags(header, 'if-match')
  const strong = tags === '*' ? null : tags.filter(({ weak }) => !weak)
  return {
    key: key as string | undefined,
    ifVersions: strong?.map(({ value }) => value.slice(1, -1)) ?? null,
  }
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
