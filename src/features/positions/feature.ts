import { z } from 'zod'
import { optionFields } from '../../checkpoints/embedding-request.js'
import { checkHasTables } from '../../first-layer/embeddings/model.js'
import { positionTensor } from '../../first-layer/embeddings/position-tensors.js'
import {
  bindPositionEmbedding,
  checkPositions,
  type PositionEmbedding,
} from '../../first-layer/embeddings/positions/position-embedding.js'
import type { PositionTensor } from '../../first-layer/embeddings/positions/scheme.js'
import { checkOutputNames, checkOutputs } from '../../first-layer/outputs.js'
import { InletError } from '../../service/answer/error-table.js'
import { sendTensors } from '../../service/answer/send-encoded.js'
import type { Feature } from '../../service/feature.js'
import { leased } from '../../service/request/claims.js'
import { modelPath } from '../../service/request/fields/model-path.js'

const { position_embedding, position_offset, outputs, dtype, ids_dtype, encoding_format } = optionFields

/** The query string of `GET /v1/models/{model}/position-embeddings`. */
const positionQuery = z.strictObject({
  position_embedding,
  context_length: z.int().min(1).describe('T: how many positions.'),
  position_offset: position_offset.describe('The first position.'),
  outputs: outputs.describe('Names of the tensors to answer with. Default: all that the scheme gives.'),
  dtype,
  ids_dtype,
  encoding_format,
})

/** `/v1/models/{model}/position-embeddings`: what a position scheme gives, alone. */
export const positions: Feature = {
  name: 'positions',
  routes(app, { models, config: limits }) {
    const options = {
      schema: { operationId: 'getPositionEmbeddings', params: modelPath, querystring: positionQuery },
      config: { media: { produces: 'tensors' as const } },
    }
    app.get('/v1/models/:model/position-embeddings', options, async (request, reply) => {
      const { query, negotiated } = request
      if (query.outputs !== undefined) checkOutputNames(query.outputs, negotiated.format.single)
      const model = await leased(request, models, request.params.model)
      const { position_embedding: asked, context_length: length, position_offset: offset } = query
      const position = asked === undefined ? model.spec.position : bindPositionEmbedding(asked)
      checkHasTables(model.spec)
      checkGivesTensors(position)
      model.checkTable(position)
      const names = query.outputs ?? position.tensorNames
      checkOutputNames(names, negotiated.format.single)
      const positions = model.positionRequest(position, length, offset)
      checkPositions(position, positions)
      checkOutputs(names, position, [])
      const tensors = position.tensors(positions)
      const chosen = names.map((name) => tensors.find((tensor) => tensor.name === name) as PositionTensor)

      request.figures = { format: negotiated.format.name }
      const answer = {
        model: model.spec.id,
        modelVersion: model.version,
        tensors: chosen.map((tensor) => positionTensor(model, tensor, query)),
        metadata: position.metadata(),
      }
      for (const tensor of answer.tensors) {
        const refusal = negotiated.format.refuses?.(tensor)
        if (refusal !== undefined) throw new InletError('unsupported_combination', refusal, 'dtype')
      }
      return sendTensors(request, reply, answer, query.encoding_format, limits)
    })
  },
}

/** Refuses a position scheme that gives no tensors. @throws InletError `unsupported_combination` */
function checkGivesTensors({ type, tensorNames, ropeType }: PositionEmbedding): void {
  if (tensorNames.length > 0) return
  const why =
    ropeType === undefined ? '' : `: the rope of the model’s config.json, ${ropeType}, is not computed`
  const message = `\`position_embedding\` must give a tensor. Given: ${type}, which gives none${why}`
  throw new InletError('unsupported_combination', message, 'position_embedding')
}
