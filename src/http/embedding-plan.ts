import type { Model } from '../embeddings/model.js'
import { checkPositions } from '../embeddings/positions/checked.js'
import { bindPositionEmbedding, type PositionEmbedding } from '../embeddings/positions/position-embedding.js'
import { InletError } from '../errors.js'
import type { EmbeddingRequest } from '../input-embedding.js'
import { checkOutputs, outputDtype } from '../outputs.js'
import type { Format } from '../wire/formats/format.js'
import type { EmbeddingOptions } from '../wire/schemas/embedding-request.js'

/**
 * A parsed request as the recipe takes it, once the model allows it; no token is needed for that.
 *
 * @param documents how many there are: several may need padding
 * @throws InletError `invalid_request`, `context_too_long`, `unsupported_combination`, `token_out_of_range`
 */
export function planEmbedding(
  model: Model,
  options: EmbeddingOptions,
  documents: number,
  format: Format,
): EmbeddingRequest {
  const position = positionOf(model, options)
  if (options.context_length !== undefined) {
    checkPositions(position, model.positionRequest(options.context_length, options.position_offset))
  }
  if (options.outputs !== undefined) checkOutputs(options.outputs, position, format.single)
  if (format.single) checkFormat(model, options, position, format)
  return {
    contextLength: options.context_length,
    stride: options.stride,
    tail: options.tail,
    padTokenId: padTokenId(model, options, documents),
    batchSize: options.batch_size,
    batchIndex: options.batch_index,
    shuffle: options.shuffle,
    seed: options.seed,
    epoch: options.epoch,
    dropLast: options.drop_last,
    position,
    positionOffset: options.position_offset,
    outputs: options.outputs,
    single: format.single,
    dtype: options.dtype,
  }
}

function positionOf(model: Model, options: EmbeddingOptions): PositionEmbedding {
  return options.position_embedding === undefined
    ? model.spec.position
    : bindPositionEmbedding(options.position_embedding)
}

function checkFormat(
  model: Model,
  options: EmbeddingOptions,
  position: PositionEmbedding,
  format: Format,
): void {
  const name = options.outputs?.[0] ?? 'input_embeddings'
  const request = model.positionRequest(options.context_length ?? 1, options.position_offset)
  const refusal = format.refuses?.({ name, dtype: outputDtype(name, options.dtype, position, request) })
  if (refusal !== undefined) throw new InletError('unsupported_combination', refusal, 'dtype')
}

/** The id of padded slots: any, where none can occur. */
function padTokenId(model: Model, options: EmbeddingOptions, documents: number): number {
  const { vocabSize, encoding } = model.spec
  const canPad = options.context_length === undefined ? documents > 1 : options.tail === 'pad'
  const id = options.pad_token_id ?? encoding.endOfText
  if (!canPad || id < vocabSize) return id
  if (options.pad_token_id === undefined) {
    const message = `\`pad_token_id\` is needed: the end-of-text id ${id} is not below \`vocab_size\` ${vocabSize}.`
    throw new InletError('invalid_request', message, 'pad_token_id')
  }
  const message = `\`pad_token_id\` must be below \`vocab_size\` ${vocabSize}. Given: ${id}`
  throw new InletError('token_out_of_range', message, 'pad_token_id')
}
