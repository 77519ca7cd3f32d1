import { type BatchTensorsRequest, needsPositions } from './batch-tensors.js'
import {
  type Architecture,
  architectureNames,
  findArchitecture,
  ownPosition,
} from './embeddings/architectures/registry.js'
import { checkHasTables, type Model, type ModelSpec } from './embeddings/model.js'
import {
  bindPositionEmbedding,
  checkPositions,
  type PositionEmbedding,
  type PositionEmbeddingValue,
} from './embeddings/positions/position-embedding.js'
import { InletError, invalidField, shown } from './errors.js'
import type { EmbeddingRequest } from './input-embedding.js'
import type { NgramContext } from './lookups/ngram-rows.js'
import { atLeast, boolean, choice, integer, type OptionValues } from './options.js'
import { checkLookupOutputs, checkOutputNames, checkOutputs, outputDtype, readsRows } from './outputs.js'
import { MAX_EPOCH } from './random/permutation.js'
import type { FloatDtype, IdsDtype, TensorInfo } from './tensors/named-tensor.js'
import type { TruncationRule } from './windows/truncation.js'

/** The options of a request for input embeddings that are numbers, switches and choices, by their wire names. */
export const EMBEDDING_OPTIONS = {
  context_length: atLeast(1)
    .optional()
    .describe('T, tokens in a window. Absent: each document is one window of its own length.'),
  stride: atLeast(1)
    .optional()
    .describe('Step between window starts, in tokens (not the overlap). Default: `context_length`.'),
  tail: choice(['drop', 'pad'])
    .optional()
    .describe('`drop` (default): only windows with T inputs and T targets. `pad`: all tokens, right-padded.'),
  truncation: boolean()
    .default(false)
    .describe(
      'Cut each document to its first `max_length` tokens; `num_truncated_tokens` counts what is cut off. Special ' +
        'tokens that `add_special_tokens` puts at the end stay. Default: nothing is ever cut.',
    ),
  max_length: atLeast(1)
    .optional()
    .describe(
      'Tokens of a document under `truncation`. Default: as many as the model has positions for. Windows have ' +
        '`context_length`.',
    ),
  pad_token_id: atLeast(0).optional().describe('Id of padded slots. Default: the encoding’s end-of-text.'),
  batch_size: atLeast(1).optional().describe('Windows in a batch of the loader. Absent: all windows.'),
  batch_index: atLeast(0)
    .optional()
    .describe('The batch to answer with, from 0. Absent: all batches, in loader order.'),
  shuffle: boolean().default(false).describe('Order of PyTorch’s DataLoader(shuffle=True); needs `seed`.'),
  epoch: integer(0, MAX_EPOCH).default(0).describe('Which pass over the loader, from 0.'),
  drop_last: boolean().default(false).describe('Leave out a last, short batch; needs `batch_size`.'),
  position_offset: atLeast(0).default(0).describe('Position of a window’s first token.'),
  dtype: choice(['float32', 'float16', 'bfloat16'])
    .default('float32')
    .describe('Element type of float outputs.'),
  ids_dtype: choice(['int32', 'int64'])
    .default('int32')
    .describe('Element type of ids, masks, positions and indices. PyTorch’s losses take int64.'),
  add_special_tokens: boolean()
    .default(false)
    .describe(
      'Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none.',
    ),
} as const

/**
 * Calls `refuse` with each option that needs another one, and the rule: `tail` → must not be given without
 * `context_length`. One that only has no effect, as `seed` without `shuffle`, is accepted.
 */
export function checkConflicts(
  options: EmbeddingOptions,
  refuse: (field: string, rule: string) => void,
): void {
  if (options.context_length === undefined) {
    if (options.stride !== undefined) refuse('stride', 'must not be given without `context_length`')
    if (options.tail !== undefined) refuse('tail', 'must not be given without `context_length`')
  }
  if (options.max_length !== undefined && !options.truncation) {
    refuse(
      'max_length',
      'must not be given without `truncation`: true (the length of windows is `context_length`)',
    )
  }
  if (options.batch_size === undefined) {
    if (options.batch_index !== undefined) refuse('batch_index', 'must not be given without `batch_size`')
    if (options.drop_last) refuse('drop_last', 'must not be true without `batch_size`')
  }
  if (options.shuffle && options.seed === undefined) refuse('seed', 'is needed where `shuffle` is true')
}

/** The fields of a request that configure the first layer, defaults filled in, under the wire's names. */
export interface LayerOptions {
  readonly position_embedding?: PositionEmbeddingValue | undefined
  readonly architecture?: string | undefined
  readonly position_offset: number
  readonly outputs?: readonly string[] | undefined
  readonly dtype: FloatDtype
  readonly ids_dtype: IdsDtype
}

/** The fields of a request for input embeddings, defaults filled in, under the wire's names. */
export interface EmbeddingOptions
  extends Omit<OptionValues<typeof EMBEDDING_OPTIONS>, keyof LayerOptions>,
    LayerOptions {
  readonly seed?: bigint | undefined
  /** The ids before each window that its n-grams go on from. */
  readonly ngram_context?: NgramContext | undefined
}

/** Follows `context_too_long` where the windows' length was given. */
const SHORTER = 'Windows of a shorter `context_length` cover the whole text'

/** The rules of the answer's format. */
export interface FormatRules {
  /** Whether it carries exactly one tensor. */
  readonly single: boolean
  /** Why a tensor cannot be sent in it; undefined where it can. */
  refuses?(tensor: Pick<TensorInfo, 'name' | 'dtype'>): string | undefined
}

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
  checkContext(model, options.ngram_context)
  const layer = planLayer(model, options, format, { length: () => options.context_length })
  return {
    contextLength: options.context_length,
    stride: options.stride,
    tail: options.tail,
    truncation: options.truncation ? truncationOf(model, options) : undefined,
    padTokenId: options.pad_token_id,
    batchSize: options.batch_size,
    batchIndex: options.batch_index,
    shuffle: options.shuffle,
    seed: options.seed,
    epoch: options.epoch,
    dropLast: options.drop_last,
    outputs: options.outputs,
    single: format.single,
    architecture: layer.architecture,
    position: layer.position,
    positionOffset: layer.positionOffset,
    dtype: layer.dtype,
    idsDtype: layer.idsDtype,
    ngramContext: options.ngram_context,
  }
}

/** @throws InletError `unsupported_combination` for a model without n-grams */
function checkContext({ spec }: Model, context: NgramContext | undefined): void {
  if (context === undefined || spec.lookups?.ngrams !== undefined) return
  const message = `\`ngram_context\` is not of model_type ${modelTypeOf(spec)}, which has no n-grams`
  throw new InletError('unsupported_combination', message, 'ngram_context')
}

const modelTypeOf = ({ isCheckpoint, architecture }: ModelSpec) => (isCheckpoint ? architecture.name : 'seed')

interface BatchRules {
  /** Positions of a row under a scheme; undefined: known only after the text is tokenized. */
  length(position: PositionEmbedding): number | undefined
  /** Every name that `outputs` may have. Absent: those of input embeddings. */
  readonly known?: readonly string[]
  /** The names that do not depend on the scheme. */
  readonly common?: readonly string[]
}

/**
 * Checks what a request asks of a model's first layer.
 *
 * @throws InletError `invalid_request`, `context_too_long`, `unsupported_combination`
 */
export function planLayer(
  model: Model,
  options: LayerOptions,
  format: FormatRules,
  rules: BatchRules,
): BatchTensorsRequest {
  const { outputs, position_offset: positionOffset } = options
  const architecture = architectureOf(model, options)
  const position = positionOf(model, architecture, options)
  model.checkTable(position)
  if (outputs !== undefined) checkOutputNames(outputs, format.single, rules.known)
  if (outputs === undefined || readsRows(outputs, position)) checkHasTables(model.spec)
  if (outputs !== undefined) checkLookupOutputs(outputs, model.spec.lookups, modelTypeOf(model.spec))
  const length = rules.length(position)
  if (length !== undefined) {
    const request = model.positionRequest(position, length, positionOffset)
    checkPositions(position, request, { isNeeded: needsPositions(outputs, position), advice: SHORTER })
  }
  if (outputs !== undefined) checkOutputs(outputs, position, rules.common)
  if (format.refuses !== undefined) checkFormat(model, options, position, length, format)
  const { dtype, ids_dtype: idsDtype } = options
  return { architecture, position, positionOffset, dtype, idsDtype }
}

function architectureOf({ spec }: Model, { architecture: asked }: LayerOptions): Architecture {
  if (asked === undefined || asked === spec.architecture.name) return spec.architecture
  if (spec.isCheckpoint) {
    const message = `\`architecture\` must be ${spec.architecture.name}, the model’s own, or left out. Given: ${shown(asked)}`
    throw new InletError('unsupported_combination', message, 'architecture')
  }
  const architecture = findArchitecture(asked)
  if (architecture !== undefined) return architecture
  throw invalidField('architecture', `must be one of ${architectureNames.join(', ')}`, asked)
}

/** The position scheme that the request names, else that of the architecture it names, else the model's own. */
function positionOf({ spec }: Model, architecture: Architecture, options: LayerOptions): PositionEmbedding {
  if (options.position_embedding !== undefined) return bindPositionEmbedding(options.position_embedding)
  if (options.architecture === undefined || spec.isCheckpoint) return spec.position
  return ownPosition(architecture)
}

function truncationOf({ spec }: Model, options: EmbeddingOptions): TruncationRule {
  const { max_length: length, position_offset: offset, add_special_tokens: keepsSpecialEnd = false } = options
  if (length !== undefined) return { length, keepsSpecialEnd }
  if (spec.maxPositionEmbeddings > 0)
    return { length: Math.max(1, spec.maxPositionEmbeddings - offset), keepsSpecialEnd }
  const message = '`max_length` is needed: the model itself has no greatest length. Given: nothing'
  throw new InletError('invalid_request', message, 'max_length')
}

function checkFormat(
  model: Model,
  options: LayerOptions,
  position: PositionEmbedding,
  length: number | undefined,
  format: FormatRules,
): void {
  const request = model.positionRequest(position, length ?? 1, options.position_offset)
  const asked = { dtype: options.dtype, idsDtype: options.ids_dtype }
  for (const name of options.outputs ?? ['input_embeddings']) {
    const refusal = format.refuses?.({ name, dtype: outputDtype(name, asked, position, request) })
    if (refusal !== undefined) throw new InletError('unsupported_combination', refusal, 'dtype')
  }
}
