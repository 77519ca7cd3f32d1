import { type Layer, needsPositions } from './batch-tensors.js'
import {
  type Architecture,
  architectureNames,
  findArchitecture,
  ownPosition,
} from './embeddings/architectures/registry.js'
import { checkHasTables, type Model } from './embeddings/model.js'
import {
  bindPositionEmbedding,
  checkPositions,
  type PositionEmbedding,
} from './embeddings/positions/position-embedding.js'
import { InletError, invalidField, shown } from './errors.js'
import type { EmbeddingPlan } from './input-embedding.js'
import type { NgramContext } from './lookups/ngram-rows.js'
import type { EmbeddingOptions, LayerOptions } from './options/embedding.js'
import { checkOutputNames, checkOutputs, outputDtype, readsRows } from './outputs.js'
import type { TensorInfo } from './tensors/named-tensor.js'
import type { TruncationRule } from './windows/truncation.js'

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
 * Checks a parsed request against the model, before any text is tokenized.
 *
 * @param known every name that `outputs` may have. Default: those of input embeddings
 * @param common the names that do not depend on the scheme
 * @throws InletError `invalid_request`, `context_too_long`, `unsupported_combination`
 */
export function planEmbedding(
  model: Model,
  options: EmbeddingOptions,
  format: FormatRules,
  { known, common }: { readonly known?: readonly string[]; readonly common?: readonly string[] } = {},
): EmbeddingPlan {
  if (options.outputs !== undefined) checkOutputNames(options.outputs, format.single, known)
  checkContext(model, options.ngram_context)
  const rules = { length: () => options.context_length, common }
  const { architecture, position } = planLayer(model, options, format, rules)
  const truncation = options.truncation ? truncationOf(model, options) : undefined
  return { options, architecture, position, truncation, single: format.single }
}

/** @throws InletError `unsupported_combination` for a model without n-grams */
function checkContext({ spec }: Model, context: NgramContext | undefined): void {
  if (context === undefined || spec.lookups?.ngrams !== undefined) return
  const message = `\`ngram_context\` must not be given for ${spec.id}, which has no n-grams`
  throw new InletError('unsupported_combination', message, 'ngram_context')
}

interface BatchRules {
  /** Positions of a row under a scheme; undefined: known only after the text is tokenized. */
  length(position: PositionEmbedding): number | undefined
  /** The names that do not depend on the scheme. */
  readonly common?: readonly string[] | undefined
}

/**
 * Checks what a request asks of a model's first layer; `outputs` are known names.
 *
 * @throws InletError `invalid_request`, `context_too_long`, `unsupported_combination`
 */
export function planLayer(
  model: Model,
  options: LayerOptions,
  format: FormatRules,
  rules: BatchRules,
): Layer {
  const { outputs, position_offset } = options
  const architecture = architectureOf(model, options)
  const position = positionOf(model, architecture, options)
  model.checkTable(position)
  if (outputs === undefined || readsRows(outputs, position)) checkHasTables(model.spec)
  const length = rules.length(position)
  if (length !== undefined) {
    const request = model.positionRequest(position, length, position_offset)
    checkPositions(position, request, { isNeeded: needsPositions(outputs, position), advice: SHORTER })
  }
  if (outputs !== undefined) checkOutputs(outputs, position, rules.common, model.spec.lookups)
  if (format.refuses !== undefined) checkFormat(model, options, position, length, format)
  return { architecture, position }
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
  for (const name of options.outputs ?? ['input_embeddings']) {
    const refusal = format.refuses?.({ name, dtype: outputDtype(name, options, position, request) })
    if (refusal !== undefined) throw new InletError('unsupported_combination', refusal, 'dtype')
  }
}
