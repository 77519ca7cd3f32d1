import { z } from 'zod'
import { optionFields } from '../../service/request/fields/embedding-request.js'

const { position_embedding, position_offset, outputs, dtype, ids_dtype, encoding_format } = optionFields

/** The query string of `GET /v1/models/{model}/position-embeddings`. */
export const positionQuery = z.strictObject({
  position_embedding,
  context_length: z.int().min(1).describe('T: how many positions.'),
  position_offset: position_offset.describe('The first position.'),
  outputs: outputs.describe('Names of the tensors to answer with. Default: all that the scheme gives.'),
  dtype,
  ids_dtype,
  encoding_format,
})
