import {
  architectureSteps,
  inputsEmbedsSteps,
  type LayerSteps,
  type RowFacts,
  roundsTo,
} from './embeddings/architecture-steps.js'
import type { Architecture } from './embeddings/architectures/registry.js'
import { idTensor } from './embeddings/computed-tensor.js'
import { lookupTensor } from './embeddings/lookup-tensors.js'
import type { Model } from './embeddings/model.js'
import { positionRows, positionTensor } from './embeddings/position-tensors.js'
import type { PositionEmbedding } from './embeddings/positions/position-embedding.js'
import type { PositionTensor } from './embeddings/positions/scheme.js'
import { type RowSource, rowTensor } from './embeddings/row-tensor.js'
import type { BlockPool } from './embeddings/workspace.js'
import type { NgramContext } from './lookups/ngram-rows.js'

import type { AskedDtypes, NamedTensor } from './tensors/named-tensor.js'
import { ID_OUTPUTS, type IdName, MASK_OUTPUTS, type TokenBatch } from './windows/batch.js'

const ID_NAMES: readonly string[] = [...ID_OUTPUTS, ...MASK_OUTPUTS]

/** How token ids become rows. */
export interface Layer {
  /** The steps for the token rows, apart from the positions. */
  readonly architecture: Architecture
  readonly position: PositionEmbedding
}

/** A request's part in the tensors of a batch. */
interface AskedTensors extends AskedDtypes {
  readonly position_offset: number
}

/** A batch, and facts about it. */
interface BatchFacts extends RowFacts {
  readonly batch: TokenBatch
  /** The scheme's tensors, checked: [T, C], or for attention. */
  readonly positions: readonly PositionTensor[]
  /** The ids before each window that its n-grams go on from. */
  readonly ngramContext?: NgramContext | undefined
}

/**
 * A batch in a model's first layer: token embeddings + position embeddings → input embeddings. The tensors are declared
 * only: their elements are computed when they are read, block by block.
 *
 * @returns the tensor of a name of `COMMON_OUTPUTS`, or of those that the position scheme gives
 */
export function batchTensors(
  model: Model,
  { architecture, position }: Layer,
  request: AskedTensors,
  facts: BatchFacts,
): (name: string) => NamedTensor {
  const { dtype } = request
  const { batch, positions, ngramContext } = facts
  const { workspace } = model
  const { count: B, contextLength: T } = batch
  const { embeddingDim: C, hiddenSize } = model.spec
  const fillInputIds = (out: Int32Array, first: number) => batch.fill('input_ids', out, first)
  const fillRowIds = rowIds(model, fillInputIds)

  const inputEmbeddings = () => {
    const addend = positions.find(({ name }) => name === position.added) // [T, C]
    const rounds = roundsTo(model, position, dtype)
    const added = addend && positionRows(model, addend, architecture, facts, rounds ? dtype : undefined)
    const { steps, drawn = [], roundsSteps } = architectureSteps(model, architecture, facts, rounds)
    // without spreads, which would take longer than the rest of the recipe
    const rows: RowSource = {
      ...{ name: 'input_embeddings', shape: [B, T, hiddenSize], dtype, table: model.tokenTable },
      ...{ fillIds: fillRowIds, positions: added?.positions, steps, roundsSteps },
      ...{ drawn: [...(added?.drawn ?? []), ...drawn], workBytes: added?.workBytes },
    }
    return rowTensor(rows, workspace) // [B, T, hidden]
  }
  const tokenRows = (name: string, fillIds: RowSource['fillIds'], steps?: LayerSteps) =>
    rowTensor({ name, shape: [B, T, C], dtype, table: model.tokenTable, fillIds, ...steps }, workspace)

  return (name) => {
    const own = positions.find((tensor) => tensor.name === name) // what the scheme gives
    if (own !== undefined) return positionTensor(model, own, request)
    if (ID_NAMES.includes(name)) return batchIds(name as IdName, batch, request, workspace)
    const asked = { batch, dtype, idsDtype: request.ids_dtype, ngramContext, fillIds: fillRowIds }
    const looked = model.lookups && lookupTensor(model, name, asked)
    if (looked !== undefined) return looked
    if (name === 'input_embeddings') return inputEmbeddings()
    if (name === 'token_embeddings') return tokenRows(name, fillInputIds) // [B, T, C]
    return tokenRows(name, fillRowIds, inputsEmbedsSteps(model, batch, dtype)) // [B, T, C]
  }
}

/** Ids as the embedding module looks them up: some families take another id's row for the places of images. */
export function rowIds({ spec }: Model, fill: (out: Int32Array, first: number) => void): typeof fill {
  const { replaced } = spec.architecture
  if (replaced === undefined) return fill
  return (out, first) => {
    fill(out, first)
    for (let i = 0; i < out.length; i++) if (replaced.ids.includes(out[i])) out[i] = replaced.by
  }
}

/** The tensors that have one number for each window, not for each slot. */
const OF_WINDOWS: readonly string[] = ['document_ids', 'window_starts', 'dataset_index']

/** Declares a tensor of ids. @param shape that of its name, unless it is another one */
export function batchIds<Name extends string>(
  name: Name,
  batch: Pick<TokenBatch, 'count' | 'contextLength'> & { fill: IdFill<Name> },
  { ids_dtype, position_offset }: Omit<AskedTensors, 'dtype'>,
  pool: BlockPool,
  shape = OF_WINDOWS.includes(name) ? [batch.count] : [batch.count, batch.contextLength],
): NamedTensor {
  const fill = (out: Int32Array, first: number) => batch.fill(name, out, first, position_offset)
  return idTensor({ name, shape, fill }, ids_dtype, pool)
}

type IdFill<Name> = (name: Name, out: Int32Array, first: number, offset: number) => void

/**
 * The tensors of an answer to a request without `outputs`: the ids, their mask where padding can occur, the
 * embeddings, and the tensors of an attention-side scheme. In a format that carries one tensor: the embeddings.
 */
export function defaultOutputs(
  position: PositionEmbedding,
  canPad: boolean,
  { single }: { readonly single: boolean },
): readonly string[] {
  if (single) return ['input_embeddings']
  const mask = canPad ? ['attention_mask'] : []
  const attention = position.added !== undefined ? [] : position.tensorNames
  return ['input_ids', ...mask, 'input_embeddings', ...attention]
}

/** Whether an answer has tensors that position rows are part of; ids, masks and token rows have none. */
export function needsPositions(outputs: readonly string[] | undefined, position: PositionEmbedding): boolean {
  const isPartOf = (name: string) => name === 'input_embeddings' || position.tensorNames.includes(name)
  return outputs === undefined || outputs.some(isPartOf)
}
