import type { Answer } from '../answer.js'
import { batchIds, batchTensors, type Layer } from '../batch-tensors.js'
import { type FormatRules, planLayer } from '../embedding-plan.js'
import { type Model, padToken } from '../embeddings/model.js'
import { checkPlaces, type PositionEmbedding } from '../embeddings/positions/position-embedding.js'
import { blocksWithoutModel } from '../embeddings/workspace.js'
import { InletError } from '../errors.js'
import type { LayerOptions } from '../options/embedding.js'
import type { AskedDtypes, NamedTensor } from '../tensors/named-tensor.js'
import {
  checkDatasetOutputs,
  DATASET_OUTPUTS,
  defaultDatasetOutputs,
  hasTokenRows,
  isPacked,
  needsModel,
  WITHOUT_MODEL,
} from './dataset-outputs.js'
import { canPad, type DatasetRecipe } from './recipe-options.js'
import type { SegmentBatch, SegmentName } from './segment-batch.js'

/** A dataset under a recipe, as far as its tensors depend on it. */
export interface DatasetFacts {
  readonly recipe: DatasetRecipe
  /** Tokens of the longest document; of a mixture, of all members. */
  readonly longestDocument: number
  readonly isMixture: boolean
}

/** Which tensors of a dataset's batches are asked for. */
interface DatasetTensorsRequest extends AskedDtypes {
  readonly outputs: readonly string[]
  readonly position_offset: number
  /** Whether windows of the recipe may hold fewer than T tokens. */
  readonly canPad: boolean
  /** The first layer; absent: no output needs a model. */
  readonly layer?: Layer
  /** Positions that the scheme's tensors have: T, or those that a segment can have. */
  readonly numPositions: number
}

/**
 * Checks a request for a dataset's batches, before any id is read.
 *
 * @param model undefined where `needsModel(options.outputs)` is false
 * @throws InletError `invalid_request`, `context_too_long`, `unsupported_combination`, `token_out_of_range`
 */
export function planDatasetTensors(
  options: LayerOptions,
  facts: DatasetFacts,
  format: FormatRules,
  model?: Model,
): DatasetTensorsRequest {
  const { outputs, dtype, ids_dtype, position_offset } = options
  const { recipe } = facts
  checkDatasetOutputs(outputs, format.single, facts.isMixture)
  const names = outputs ?? defaultDatasetOutputs(recipe)
  const asked = { outputs: names, position_offset, canPad: canPad(recipe), dtype, ids_dtype }
  if (!needsModel(names)) {
    checkPlaces({ offset: position_offset, length: recipe.context_length })
    const refusal = format.single && format.refuses?.({ name: names[0], dtype: ids_dtype })
    if (refusal) throw new InletError('unsupported_combination', refusal, 'dtype')
    return { ...asked, numPositions: recipe.context_length }
  }
  if (model === undefined) throw new Error(`A model is needed for ${names.join(', ')}.`)
  // Rows that are added to packed windows begin again with each segment: none is longer than the longest document.
  const longest = Math.max(1, Math.min(recipe.context_length, facts.longestDocument))
  const length = ({ added }: PositionEmbedding) =>
    added !== undefined && isPacked(recipe) ? longest : recipe.context_length
  const rules = { length, common: DATASET_OUTPUTS }
  const layer = planLayer(model, { ...options, outputs: names }, format, rules)
  const { added } = layer.position
  if (isPacked(recipe) && added !== undefined && names.includes(added)) {
    const message =
      `\`outputs\` must not name ${added} under \`packing\` ${recipe.packing}: each segment of a window has rows of its own, ` +
      `which \`position_ids\` name. Given: ${added}`
    throw new InletError('unsupported_combination', message, 'outputs')
  }
  if (canPad(recipe) && hasTokenRows(names)) padToken(model.spec, recipe.pad_token_id)
  return { ...asked, layer, numPositions: length(layer.position) }
}

/** The answer of one batch, or of several side by side. @throws InletError as {@link datasetTensors} */
export function datasetAnswer(batch: SegmentBatch, request: DatasetTensorsRequest, model?: Model): Answer {
  const { layer } = request
  return {
    ...(layer && model && { model: model.spec.id, modelVersion: model.version }),
    tensors: datasetTensors(batch, request, model),
    metadata: layer?.position.metadata() ?? {},
  }
}

/**
 * Declares the tensors of a dataset's batch; their elements are computed when they are read.
 *
 * @param model undefined where no output needs one
 * @throws InletError `token_out_of_range` for rows of a model that the batch's ids are not all below
 */
export function datasetTensors(
  batch: SegmentBatch,
  request: DatasetTensorsRequest,
  model?: Model,
): readonly NamedTensor[] {
  const { outputs } = request
  const pool = model?.workspace ?? blocksWithoutModel
  const layerTensor = model && layerTensors(batch, request, model)
  return outputs.map((name) => {
    if (name === 'cu_seq_lens') {
      const asked = { ...request, ids_dtype: 'int32' as const } // the only type that FlashAttention takes
      return batchIds(name, batch, asked, pool, [batch.segmentCount + 1])
    }
    const isOwn = layerTensor === undefined || WITHOUT_MODEL.includes(name)
    return isOwn ? batchIds(name as SegmentName, batch, request, pool) : layerTensor(name)
  })
}

function layerTensors(
  batch: SegmentBatch,
  request: DatasetTensorsRequest,
  model: Model,
): ((name: string) => NamedTensor) | undefined {
  const { layer, outputs, canPad, numPositions: length, position_offset } = request
  if (layer === undefined) return undefined
  const { vocabSize } = model.spec
  if (hasTokenRows(outputs) && batch.largestId >= vocabSize) {
    const message = `The batch’s ids must be below the model’s \`vocab_size\` ${vocabSize}. Given: ${batch.largestId}`
    throw new InletError('token_out_of_range', message, 'model')
  }
  const { position } = layer
  return batchTensors(model, layer, request, {
    batch,
    positions: position.tensors(model.positionRequest(position, length, position_offset)),
    canPad,
    fillTokenTypeIds: (out) => out.fill(0),
    fillPlaces: batch.isPacked ? (out, first) => batch.fill('position_ids', out, first) : undefined,
  })
}
