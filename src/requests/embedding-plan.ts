import { InletError, shown } from '../errors.js'
import type { Architecture } from '../first-layer/embeddings/architectures/architecture.js'
import { ownPosition } from '../first-layer/embeddings/architectures/own-position.js'
import { architectureNames, findArchitecture } from '../first-layer/embeddings/architectures/registry.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { checkPositions } from '../first-layer/embeddings/positions/checked.js'
import {
  bindPositionEmbedding,
  type PositionEmbedding,
} from '../first-layer/embeddings/positions/position-embedding.js'
import type { EmbeddingRequest } from '../first-layer/input-embedding.js'
import { checkOutputNames, checkOutputs, outputDtype } from '../first-layer/outputs.js'
import type { Format } from '../wire/formats/format.js'
import type { EmbeddingOptions } from '../wire/schemas/embedding-request.js'

/** What a plan needs to know of the answer's format. */
type FormatRules = Pick<Format, 'single' | 'refuses'>

/**
 * Checks a parsed request against the model, before any text is tokenized, and makes the request of the recipe.
 *
 * @throws InletError `invalid_request`, `context_too_long`, `unsupported_combination`
 */
export function planEmbedding(
  model: Model,
  options: EmbeddingOptions,
  format: FormatRules,
): EmbeddingRequest {
  const architecture = architectureOf(model, options)
  const position = positionOf(model, architecture, options)
  model.checkTable(position)
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

function architectureOf({ spec }: Model, { architecture: asked }: EmbeddingOptions): Architecture {
  if (asked === undefined || asked === spec.architecture.name) return spec.architecture
  if (spec.isCheckpoint) {
    const message = `\`architecture\` must be ${spec.architecture.name}, the model’s own, or left out. Given: ${shown(asked)}`
    throw new InletError('unsupported_combination', message, 'architecture')
  }
  const architecture = findArchitecture(asked)
  if (architecture !== undefined) return architecture
  const rule = `must be one of ${architectureNames.join(', ')}`
  throw new InletError('invalid_request', `\`architecture\` ${rule}. Given: ${shown(asked)}`, 'architecture')
}

/** The position scheme that the request names, else that of the architecture it names, else the model's own. */
function positionOf(
  { spec }: Model,
  architecture: Architecture,
  options: EmbeddingOptions,
): PositionEmbedding {
  if (options.position_embedding !== undefined) return bindPositionEmbedding(options.position_embedding)
  if (options.architecture === undefined || spec.isCheckpoint) return spec.position
  return ownPosition(architecture)
}

function checkFormat(
  model: Model,
  options: EmbeddingOptions,
  position: PositionEmbedding,
  format: FormatRules,
): void {
  const name = options.outputs?.[0] ?? 'input_embeddings'
  const request = model.positionRequest(position, options.context_length ?? 1, options.position_offset)
  const refusal = format.refuses?.({ name, dtype: outputDtype(name, options.dtype, position, request) })
  if (refusal !== undefined) throw new InletError('unsupported_combination', refusal, 'dtype')
}
