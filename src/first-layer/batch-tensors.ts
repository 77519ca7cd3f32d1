import { architectureSteps, inputsEmbedsSteps, roundsSteps } from './embeddings/architecture-steps.js'
import type { Architecture } from './embeddings/architectures/architecture.js'
import type { Model } from './embeddings/model.js'
import type { FillPlaces } from './embeddings/position-rows.js'
import { positionRows, positionTensor } from './embeddings/position-tensors.js'
import type { PositionEmbedding } from './embeddings/positions/position-embedding.js'
import type { PositionTensor } from './embeddings/positions/scheme.js'
import { bothPrepare } from './embeddings/preparation.js'
import { rowTensor } from './embeddings/row-tensor.js'
import { BATCH_IDS, batchIds } from './id-tensors.js'
import type { AskedDtypes, NamedTensor } from './tensors/named-tensor.js'
import type { TokenBatch } from './windows/token-batch.js'

/** What becomes of a batch's tokens in a model's first layer. */
export interface BatchTensorsRequest extends AskedDtypes {
  /** Says what is done to the token rows, apart from the positions. */
  readonly architecture: Architecture
  readonly position: PositionEmbedding
  readonly positionOffset: number
}

/** Facts about a batch beside its tokens. */
export interface BatchFacts {
  /** The scheme's tensors, checked: [T, C], or for attention. */
  readonly positions: readonly PositionTensor[]
  /** Whether some slots may be pads. */
  readonly canPad: boolean
  /** Writes rows of the token-type table. */
  fillTokenTypeIds(out: Int32Array, first: number): void
  /** Of packed windows: places from the start of each segment on. */
  readonly fillPlaces?: FillPlaces
}

/**
 * A batch in a model's first layer: token embeddings + position embeddings → input embeddings. The tensors are declared
 * only: their elements are computed when they are read, block by block.
 *
 * @returns the tensor of a name of `COMMON_OUTPUTS`, or of those that the position scheme gives
 */
export function batchTensors(
  model: Model,
  batch: TokenBatch,
  request: BatchTensorsRequest,
  { positions, canPad, fillTokenTypeIds, fillPlaces }: BatchFacts,
): (name: string) => NamedTensor {
  const { dtype, position, positionOffset } = request
  const { workspace } = model
  const { count: B, contextLength: T } = batch
  const { embeddingDim: C, hiddenSize } = model.spec

  const addend = positions.find(({ name }) => name === position.added) // [T, C]
  const added = addend && positionRows(model, addend, fillPlaces)
  const fillInputIds = (out: Int32Array, first: number) => batch.fillInputIds(out, first)
  const facts = {
    ...{ contextLength: T, positionOffset, canPad, fillTokenTypeIds, fillInputIds, fillPlaces },
    fillAttentionMask: (out: Int32Array, first: number) => batch.fillAttentionMask(out, first),
  }
  const steps = architectureSteps(
    model,
    request.architecture,
    facts,
    addend && (addend.table === undefined ? 'computed' : 'table'),
    roundsSteps(model, position, dtype),
  )
  const lookup = {
    shape: [B, T, C],
    dtype,
    contextLength: T,
    fillIds: fillInputIds,
  }
  const rows: Readonly<Record<string, () => NamedTensor>> = {
    token_embeddings: () =>
      rowTensor({ name: 'token_embeddings', ...lookup, table: model.tokenTable }, workspace), // [B, T, C]
    inputs_embeds: () =>
      rowTensor(
        { name: 'inputs_embeds', ...lookup, table: model.tokenTable, steps: inputsEmbedsSteps(model) },
        workspace,
      ), // [B, T, C]
    input_embeddings: () =>
      rowTensor(
        {
          // without spreads, which would take longer than the rest of the recipe
          ...{ name: 'input_embeddings', shape: [B, T, hiddenSize], dtype, table: model.tokenTable },
          ...{ contextLength: T, fillIds: fillInputIds, positions: added?.positions },
          ...{ steps: steps.steps, roundsSteps: steps.roundsSteps, prepare: bothPrepare(added, steps) },
        },
        workspace,
      ), // [B, T, hidden]
  }
  return (name) => {
    const own = positions.find((tensor) => tensor.name === name) // what the scheme gives
    if (own !== undefined) return positionTensor(model, own, request)
    const ids = BATCH_IDS[name as keyof typeof BATCH_IDS]
    return ids === undefined ? rows[name]!() : batchIds(name, ids, batch, request, workspace)
  }
}
