import type { Answer } from './answer.js'
import { batchTensors, defaultOutputs, type Layer, needsPositions } from './batch-tensors.js'
import { type Model, padToken } from './embeddings/model.js'
import { checkPositions } from './embeddings/positions/position-embedding.js'
import { checkNgramContext } from './lookups/ngram-rows.js'
import type { EmbeddingOptions } from './options/embedding.js'
import {
  checkLoader,
  countBatches,
  type Epoch,
  type LoaderRule,
  loaderOrder,
  WindowBatch,
} from './windows/batch.js'
import type { Documents } from './windows/documents.js'
import { type TruncationRule, truncated } from './windows/truncation.js'
import { planWindows } from './windows/windows.js'

/** A request, checked against the model. */
export interface EmbeddingPlan extends Layer {
  readonly options: EmbeddingOptions
  /** Undefined: documents are never cut. */
  readonly truncation: TruncationRule | undefined
  /** The answer's format carries one tensor. */
  readonly single: boolean
  /** Rows of the token-type table, aligned with the documents; absent: 0 everywhere. */
  readonly tokenTypes?: Documents | undefined
  /** Of chats: the documents with −100 for what is not trained. */
  readonly trained?: Documents | undefined
}

/** Follows `context_too_long` where each document is one window. */
const ONE_WINDOW =
  'A document without `context_length` is one window: send `context_length` for windows, or `truncation` to cut it'

/** The state that all batches of a loader's epoch share. */
interface EmbeddingEpoch extends Epoch {
  /** The documents as they were given, before they were cut. */
  readonly given: Documents
  /** 0 where no window pads. */
  readonly padTokenId: number
}

/**
 * THE RECIPE: token ids → windows → token embeddings + position embeddings → input embeddings.
 *
 * The answer's tensors are declared only: their elements are computed when they are read, block by block.
 *
 * @param order draws the order of windows
 * @throws InletError `no_windows`, `batch_out_of_range`, `context_too_long`, `invalid_request`
 */
export async function inputEmbeddings(
  model: Model,
  given: Documents,
  plan: EmbeddingPlan,
  order: EpochOrder = loaderOrder,
): Promise<Answer> {
  const epoch = planEpoch(model, given, plan)
  const drawn = plan.options.shuffle ? await order(epoch.windows.count, plan.options) : undefined
  return epochEmbeddings(model, epoch, drawn, plan)
}

/** The order of an epoch's windows; undefined: as they are. */
export type EpochOrder = (
  count: number,
  rule: LoaderRule,
) => Promise<Int32Array | undefined> | Int32Array | undefined

/**
 * The windows of `given`, counted once for all batches of an epoch.
 *
 * @throws InletError `no_windows`, `batch_out_of_range`
 */
export function planEpoch(model: Model, given: Documents, plan: EmbeddingPlan): EmbeddingEpoch {
  const special = model.spec.tokenizer.specialTokens
  const { truncation, options } = plan
  const documents = truncation ? truncated(given, truncation, special.values()) : given
  const windows = planWindows(documents, options) // N windows of T tokens
  const padTokenId = windows.pads ? padToken(model.spec, options.pad_token_id) : 0
  checkLoader(windows, documents, options)
  const trained = plan.trained && truncation ? truncated(plan.trained, truncation, []) : plan.trained
  return { given, documents, trained, windows, padTokenId }
}

/**
 * The input embeddings of one batch of the epoch, or of all.
 *
 * @param order of its windows: {@link loaderOrder}
 * @throws InletError `context_too_long`, `invalid_request`
 */
export function epochEmbeddings(
  model: Model,
  epoch: EmbeddingEpoch,
  order: Int32Array | undefined,
  plan: EmbeddingPlan,
): Answer {
  const { options, position, truncation } = plan
  const { position_offset, outputs, ngram_context, batch_size, drop_last } = options
  const { given, documents, windows } = epoch
  const batch = new WindowBatch(epoch, order, options, epoch.padTokenId) // B, in loader order

  if (ngram_context !== undefined) checkNgramContext(ngram_context, batch.count, model.spec)
  const asked = model.positionRequest(position, windows.contextLength, position_offset)
  if (options.context_length === undefined)
    // else the plan has checked them
    checkPositions(position, asked, { isNeeded: needsPositions(outputs, position), advice: ONE_WINDOW })
  const tensorNamed = batchTensors(model, plan, options, {
    batch,
    positions: position.tensors(asked), // [T, C], or for attention
    canPad: windows.pads,
    fillTokenTypeIds: (out, first) => batch.fillAligned(plan.tokenTypes, out, first),
    ngramContext: ngram_context,
  })

  const chats = plan.trained === undefined ? [] : ['loss_mask']
  const names = outputs ?? [...defaultOutputs(position, windows.canPad, plan), ...chats]
  return {
    model: model.spec.id,
    modelVersion: model.version,
    counts: {
      numTokens: given.totalTokens,
      numCharacters: given.totalCharacters || undefined, // 0: ids were given, for a text is never empty
      numWindows: windows.count,
      numDroppedTokens: windows.droppedTokens,
      numTruncatedTokens: truncation && given.totalTokens - documents.totalTokens,
      ...(batch_size === undefined ? {} : countBatches(windows.count, batch_size, drop_last)),
    },
    tensors: names.map(tensorNamed),
    metadata: position.metadata(),
  }
}
