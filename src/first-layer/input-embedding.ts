import type { Answer } from './answer.js'
import { architectureSteps, inputsEmbedsSteps, roundsSteps } from './embeddings/architecture-steps.js'
import type { Architecture } from './embeddings/architectures/architecture.js'
import { computedTensor } from './embeddings/computed-tensor.js'
import type { Model } from './embeddings/model.js'
import { padToken } from './embeddings/pad-token.js'
import { positionRows, positionTensor } from './embeddings/position-tensors.js'
import { checkedTensors } from './embeddings/positions/checked.js'
import type { PositionEmbedding } from './embeddings/positions/position-embedding.js'
import { bothPrepare } from './embeddings/preparation.js'
import { rowTensor } from './embeddings/row-tensor.js'
import { defaultOutputs, needsPositions } from './outputs.js'
import type { Steps } from './steps.js'
import type { AskedDtypes, NamedTensor } from './tensors/named-tensor.js'
import { fillPositionIds } from './windows/batch.js'
import { countBatches } from './windows/batches.js'
import type { Documents } from './windows/documents.js'
import { type LoaderRule, selectBatch } from './windows/select.js'
import { type TruncationRule, truncated } from './windows/truncation.js'
import { planWindows, type WindowRule } from './windows/windows.js'

/** The request's fields besides the documents, under the wire's names in camel case (docs: `wire/schemas`). */
export interface EmbeddingRequest extends WindowRule, LoaderRule, AskedDtypes {
  /** Says what is done to the token rows, apart from the positions. */
  readonly architecture: Architecture
  /** Rows of the token-type table, aligned with the documents; absent: 0 everywhere. */
  readonly tokenTypes?: Documents
  /** Absent: documents are never cut. */
  readonly truncation?: TruncationRule
  readonly padTokenId?: number
  readonly position: PositionEmbedding
  readonly positionOffset: number
  /** Names of tensors; absent: the defaults of the scheme. */
  readonly outputs?: readonly string[]
  /** The answer's format carries one tensor. */
  readonly single: boolean
}

/** Follows `context_too_long` where each document is one window. */
const ONE_WINDOW =
  'A document without `context_length` is one window: send `context_length` for windows, or `truncation` to cut it'

/**
 * THE RECIPE: token ids → windows → token embeddings + position embeddings → input embeddings.
 *
 * The answer's tensors are declared only: their elements are computed when they are read, block by block.
 *
 * @throws InletError `no_windows`, `batch_out_of_range`, `context_too_long`, `invalid_request`
 */
export function* inputEmbeddings(model: Model, given: Documents, request: EmbeddingRequest): Steps<Answer> {
  const { dtype, position, positionOffset, truncation } = request
  const { workspace } = model

  const special = model.spec.tokenizer.specialTokens
  const documents = truncation ? yield* truncated(given, truncation, special.values()) : given
  const windows = yield* planWindows(documents, request) // N windows of T tokens
  const padTokenId = windows.pads ? padToken(model.spec, request.padTokenId) : 0
  const batch = yield* selectBatch(windows, documents, request, padTokenId) // B, in loader order
  const { count: B, contextLength: T } = batch
  const { embeddingDim: C, hiddenSize } = model.spec

  const use = { isNeeded: needsPositions(request.outputs, position), advice: ONE_WINDOW }
  const positions = checkedTensors(position, model.positionRequest(position, T, positionOffset), use) // [T, C], or for attention
  const addend = positions.find(({ name }) => name === position.added) // [T, C]
  const added = addend && positionRows(model, addend)
  const facts = {
    contextLength: T,
    positionOffset,
    canPad: windows.pads,
    fillTokenTypeIds: (out: Int32Array, first: number) => batch.fillAligned(request.tokenTypes, out, first),
    fillAttentionMask: (out: Int32Array, first: number) => batch.fillAttentionMask(out, first),
    fillInputIds: (out: Int32Array, first: number) => batch.fillInputIds(out, first),
  }
  const steps = architectureSteps(
    model,
    request.architecture,
    facts,
    addend && (addend.table === undefined ? 'computed' : 'table'),
    roundsSteps(model, position, dtype),
  )

  const ids = (name: string, shape: readonly number[], fill: (out: Int32Array, start: number) => void) =>
    computedTensor(
      { name, dtype: 'int32', shape, fill: (out, start) => fill(out as Int32Array, start) },
      request,
      workspace,
    )
  const lookup = {
    shape: [B, T, C],
    dtype,
    table: model.tokenTable, // [V, C]
    contextLength: T,
    fillIds: facts.fillInputIds,
  }
  const tensors: Record<string, () => NamedTensor> = {
    input_ids: () => ids('input_ids', [B, T], (out, start) => batch.fillInputIds(out, start)),
    target_ids: () => ids('target_ids', [B, T], (out, start) => batch.fillTargetIds(out, start)),
    attention_mask: () => ids('attention_mask', [B, T], (out, start) => batch.fillAttentionMask(out, start)),
    position_ids: () =>
      ids('position_ids', [B, T], (out, start) => fillPositionIds(out, start, T, positionOffset)),
    document_ids: () => ids('document_ids', [B], (out, start) => batch.fillDocumentIds(out, start)),
    window_starts: () => ids('window_starts', [B], (out, start) => batch.fillWindowStarts(out, start)),
    token_embeddings: () => rowTensor({ name: 'token_embeddings', ...lookup }, workspace), // [B, T, C]
    inputs_embeds: () =>
      rowTensor({ name: 'inputs_embeds', ...lookup, steps: inputsEmbedsSteps(model) }, workspace), // [B, T, C]
    input_embeddings: () =>
      rowTensor(
        {
          ...{ name: 'input_embeddings', ...added, ...lookup, ...steps },
          ...{ shape: [B, T, hiddenSize], prepare: bothPrepare(added, steps) },
        },
        workspace,
      ), // [B, T, hidden]
  }
  const tensorNamed = (name: string) => {
    const own = positions.find((tensor) => tensor.name === name) // what the scheme gives
    return own === undefined ? tensors[name]() : positionTensor(model, own, request)
  }

  const names = request.outputs ?? defaultOutputs(position, windows.canPad, request.single)
  const { batchSize, dropLast } = request
  return {
    model: model.spec.id,
    modelVersion: model.version,
    counts: {
      numTokens: given.totalTokens,
      numCharacters: given.totalCharacters || undefined, // 0: ids were given, for a text is never empty
      numWindows: windows.count,
      numDroppedTokens: windows.droppedTokens,
      numTruncatedTokens: truncation && given.totalTokens - documents.totalTokens,
      ...(batchSize === undefined ? {} : countBatches(windows.count, batchSize, dropLast)),
    },
    tensors: names.map(tensorNamed),
    metadata: position.metadata(),
  }
}
