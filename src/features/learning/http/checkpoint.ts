import type { FastifyRequest } from 'fastify'
import { waitWithin } from '../../../first-layer/running/wait.js'
import { safetensors } from '../../../service/answer/formats/safetensors.js'
import { sendEncoded } from '../../../service/answer/send-encoded.js'
import type { FeatureApp } from '../../../service/feature.js'
import type { ModelPath } from '../../../service/request/fields/model-path.js'
import { whenEnded } from '../../../service/request/request-end.js'
import type { HeldFile } from '../held-files.js'
import { checkCanLearn, JSON_TYPE, type LearningContext } from './context.js'
import { receiveFile } from './receive-file.js'

/** Bytes of a block. */
const BLOCK_BYTES = 1 << 20
/** A checkpoint's header has the answers to the last calls of each writer. */
const MAX_HEADER_BYTES = 1 << 20

/** `GET`, `PUT` and `POST /v1/models/{model}/checkpoint`: all that a run needs to go on. */
export function addCheckpointRoutes(app: FeatureApp, context: LearningContext): void {
  const { learning, models } = context
  const path = '/v1/models/:model/checkpoint'

  const get = {
    schema: { operationId: 'getCheckpoint' },
    config: { needs: 'learn' as const, media: { produces: safetensors.mediaTypes } },
  }
  app.get<ModelPath>(path, get, async (request, reply) => {
    const { id } = models.find(request.params.model).card
    const { bytes, version } = await held(request, learning.openCheckpoint(id))
    reply.header('x-model-version', version)
    const answer = { size: bytes.length, exact: true, headers: {}, body: blocks(bytes) }
    const { mediaType } = request.negotiated
    return sendEncoded(request, reply, answer, mediaType, Number.MAX_SAFE_INTEGER) // MAX_TABLE_BYTES bounds it
  })

  const save = {
    schema: { operationId: 'saveCheckpoint' },
    config: { needs: 'learn' as const, media: { produces: [JSON_TYPE] } },
  }
  app.post<ModelPath>(path, save, (request) => {
    const { id } = models.find(request.params.model).card
    return waitWithin(learning.save(id), request)
  })

  const media = { consumes: safetensors.mediaTypes, produces: [JSON_TYPE] }
  const put = { schema: { operationId: 'putCheckpoint' }, config: { needs: 'learn' as const, media } }
  app.put<ModelPath>(path, put, async (request, reply) => {
    const id = request.params.model
    checkCanLearn(models, id)
    const limits = { file: Number.MAX_SAFE_INTEGER, header: MAX_HEADER_BYTES }
    let number = 0
    let working: Promise<unknown> | undefined
    await receiveFile(request, limits, async (length) => {
      const file = await held(request, learning.openRestore(id, length), () => working)
      number = file.held
      return file.bytes
    })
    const restoring = learning.restore(id, number)
    working = restoring
    const { optimizer, made } = await waitWithin(restoring, request)
    reply.code(made ? 201 : 200).header('x-model-version', optimizer.model_version)
    return optimizer
  })

  /** Waits for a file's memory, which is given back when the request and all work that may still read it have ended. */
  function held(
    request: FastifyRequest,
    opening: Promise<HeldFile>,
    working: () => Promise<unknown> | undefined = () => undefined,
  ): Promise<HeldFile> {
    whenEnded(request, async () => {
      await working()?.catch(() => {}) // the request has its error
      opening.then(
        (file) => learning.letGo(file.held),
        () => {}, // it was not opened
      )
    })
    return waitWithin(opening, request)
  }
}

async function* blocks(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES)
}
