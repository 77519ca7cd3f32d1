import type { Architecture } from '../embeddings/architectures/architecture.js'
import { ownPosition } from '../embeddings/architectures/own-position.js'
import { namedArchitecture } from '../embeddings/architectures/registry.js'
import type { Model } from '../embeddings/model.js'
import { checkPositions } from '../embeddings/positions/checked.js'
import { bindPositionEmbedding, type PositionEmbedding } from '../embeddings/positions/position-embedding.js'
import { InletError } from '../errors.js'
import type { EmbeddingRequest } from '../input-embedding.js'
import { checkOutputNames, checkOutputs, outputDtype } from '../outputs.js'
import type { Format } from '../wire/formats/format.js'
import type { EmbeddingOptions } from '../wire/schemas/embedding-request.js'

/**
 * Checks a parsed request against the model, before any text is tokenized, and makes the request of the recipe.
 *
 * @throws InletError `invalid_request`, `context_too_long`, `unsupported_combination`
 */
export function planEmbedding(model: Model, options: EmbeddingOptions, format: Format): EmbeddingRequest {
  const architecture = architectureOf(model, options)
  const position = positionOf(model, options)
  if (options.outputs !== undefined) checkOutputNames(options.outputs, format.single)
  if (options.context_length !== undefined) {
    checkPositions(position, model.positionRequest(position, options.context_length, options.position_offset))
  }
  if (options.outputs !== undefined) checkOutputs(options.outputs, position)
  if (format.single) checkFormat(model, options, position, format)
  return {
    contextLength: options.context_length,
    stride: options.stride,
    tail: options.tail,
    padTokenId: options.pad_token_id,
    batchSize: options.batch_size,
    batchIndex: options.batch_index,
    shuffle: options.shuffle,
    seed: options.seed,
    epoch: options.epoch,
    dropLast: options.drop_last,
    architecture,
    position,
    positionOffset: options.position_offset,
    outputs: options.outputs,
    single: format.single,
    dtype: options.dtype,
  }
}

function architectureOf(model: Model, { architecture }: EmbeddingOptions): Architecture {
  return architecture === undefined ? model.spec.architecture : namedArchitecture(architecture)
}

/** The position scheme that the request names, else that of the architecture it names, else the model's own. */
function positionOf(model: Model, options: EmbeddingOptions): PositionEmbedding {
  if (options.position_embedding !== undefined) return bindPositionEmbedding(options.position_embedding)
  if (options.architecture === undefined) return model.spec.position
  return ownPosition(namedArchitecture(options.architecture))
}

function checkFormat(
  model: Model,
  options: EmbeddingOptions,
  position: PositionEmbedding,
  format: Format,
): void {
  const name = options.outputs?.[0] ?? 'input_embeddings'
  const request = model.positionRequest(position, options.context_length ?? 1, options.position_offset)
  const refusal = format.refuses?.({ name, dtype: outputDtype(name, options.dtype, position, request) })
  if (refusal !== undefined) throw new InletError('unsupported_combination', refusal, 'dtype')
}
