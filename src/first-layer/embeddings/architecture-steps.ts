import type { Drawn } from '../random/drawn.js'
import type { FloatDtype } from '../tensors/named-tensor.js'
import type { TokenBatch } from '../windows/batch.js'
import type { Architecture, LayerStep, PositionIndex } from './architectures/registry.js'
import {
  addRows,
  addVector,
  freshLayerNorm,
  normalizeInLanes,
  normalizeRows,
  normParts,
  rootOfWidth,
  scaleRows,
  zeroMaskedRows,
} from './architectures/row-steps.js'
import type { Model } from './model.js'
import { lookUp, tableOver } from './op.js'
import type { PositionEmbedding } from './positions/position-embedding.js'
import type { PositionTensor } from './positions/scheme.js'
import type { FillPlaces, LayerWork, Projection, RowSource } from './row-tensor.js'
import type { SmallFloat } from './workspace.js'

/** What steps read of the rows of [B, T], range by range. */
export type RowBatch = Pick<TokenBatch, 'contextLength' | 'fillInputIds' | 'fillAttentionMask'>

/** Facts about a batch beside its tokens. */
export interface RowFacts {
  readonly batch: RowBatch
  /** Position of a window's first token. */
  readonly position_offset: number
  /**
   * Writes places counted from the start of each segment, for packed windows. Absent: positions count from the start
   * of each window.
   */
  readonly fillPlaces?: FillPlaces | undefined
  /** Whether some slots may be pads. */
  readonly canPad: boolean
  /** Writes rows of the token-type table. */
  fillTokenTypeIds(out: Int32Array, first: number): void
}

/**
 * An architecture's work as steps of a {@link RowSource}; where the rows are only looked up and positions added, as in
 * gpt2 and llama, there are none.
 *
 * @param added the position rows: of the model's own `wpe.weight`, or computed
 * @param rounded the dtype to which rows are rounded between steps: computed positions are a step then
 */
export function architectureSteps(
  model: Model,
  architecture: Architecture,
  facts: RowFacts,
  added: PositionTensor | undefined,
  rounded: SmallFloat | undefined,
): LayerSteps {
  const roundsSteps = rounded !== undefined
  const indexed = added && indexedPositions(model, architecture, facts, added, rounded)
  const isOnlyAdded = architecture.steps.every((step) => step === 'positions') && indexed === undefined
  if (isOnlyAdded && !(roundsSteps && added !== undefined && added.table === undefined))
    return { roundsSteps }
  const types = architecture.steps.includes('types') ? tokenTypeLookup(model) : undefined
  const workOf = (step: LayerStep): LayerWork | readonly LayerWork[] => {
    switch (step) {
      case 'positions':
        return indexed ?? step
      case 'project':
        return projectionOf(model)
      case 'norm':
        return normOf(model, architecture, roundsSteps)
      case 'row':
        return ownRow(model, architecture, facts.batch)
      case 'vector':
        return (rows) => addVector(rows, vectorOf(model))
      case 'scale': {
        const factor = architecture.scale ?? rootOfWidth(model.spec.embeddingDim)
        return (rows) => scaleRows(rows, factor)
      }
      case 'types':
        return (rows, first, count) => {
          const typeRows = model.workspace.addends.subarray(0, rows.length)
          types?.lookUp(typeRows, intsOf(facts.fillTokenTypeIds, first, count))
          addRows(rows, typeRows)
        }
      case 'mask':
        return (rows, first, count) => {
          const mask = intsOf((out, at) => facts.batch.fillAttentionMask(out, at), first, count)
          zeroMaskedRows(rows, mask)
        }
    }
  }
  return { steps: architecture.steps.flatMap(workOf), drawn: types?.drawn, roundsSteps }
}

export type LayerSteps = Pick<RowSource, 'steps' | 'drawn' | 'roundsSteps'>

/** One int32 for each row. */
function intsOf(fill: (out: Int32Array, first: number) => void, first: number, count: number): Int32Array {
  const out = new Int32Array(count)
  fill(out, first)
  return out
}

const vectorOf = (model: Model) => model.values('vector.weight') ?? new Float32Array(1)

/** Puts `row.weight` in the place of the rows of one id: zeros, if the model has none. */
function ownRow(model: Model, { rowId }: Architecture, batch: RowBatch): LayerWork {
  const row = model.values('row.weight')
  return (rows, first, count) => {
    const width = rows.length / count
    const ids = intsOf((out, at) => batch.fillInputIds(out, at), first, count)
    for (let i = ids.indexOf(rowId!); i >= 0; i = ids.indexOf(rowId!, i + 1)) {
      if (row === undefined) rows.fill(0, i * width, (i + 1) * width)
      else rows.set(row, i * width)
    }
  }
}

/** @param roundsSteps the last bits decide how a number is rounded to 16: as PyTorch's kernel computes them */
function normOf(
  model: Model,
  { layerNormEpsilon: epsilon = 0, isRms, normRoundsParts }: Architecture,
  roundsSteps: boolean,
): LayerWork | readonly LayerWork[] {
  const own = model.layerNorm(epsilon) ?? freshLayerNorm(model.spec.embeddingDim, epsilon)
  const norm = { ...own, isRms }
  if (roundsSteps && normRoundsParts) return normParts(norm)
  return (rows) => (roundsSteps && !isRms ? normalizeInLanes(rows, norm) : normalizeRows(rows, norm))
}

/**
 * Whether rows are rounded to `dtype` between the steps, as PyTorch rounds them: where that is a checkpoint's own type
 * and its first layer is the one that is asked for.
 */
export function roundedTo(
  { spec }: Model,
  position: PositionEmbedding,
  dtype: FloatDtype,
): SmallFloat | undefined {
  const isOwn = spec.isCheckpoint && dtype === spec.dtype && position.type === spec.position.type
  return isOwn && dtype !== 'float32' ? dtype : undefined
}

/** The steps between a model's rows and its `inputs_embeds`: none where these are the plain rows. */
export function inputsEmbedsSteps(model: Model, batch: RowBatch, dtype: FloatDtype): LayerSteps {
  const { architecture, position } = model.spec
  const steps = architecture.steps.slice(0, architecture.embedSteps ?? 0)
  if (steps.length === 0) return {}
  const facts = { batch, position_offset: 0, canPad: false, fillTokenTypeIds() {} }
  const rounded = roundedTo(model, position, dtype)
  return architectureSteps(model, { ...architecture, steps }, facts, undefined, rounded)
}

interface TokenTypeLookup {
  readonly drawn?: readonly Drawn[] | undefined
  /** Writes the rows of `wtt.weight` for these ids. */
  lookUp(out: Float32Array, ids: Int32Array): void
}

function tokenTypeLookup(model: Model): TokenTypeLookup {
  const table = model.table('wtt.weight')
  if (table !== undefined) return { lookUp: (out, ids) => lookUp(out, table, ids) }
  const numbers = model.drawn('wtt.weight')
  return {
    drawn: numbers.drawn && [numbers.drawn],
    lookUp(out, ids) {
      const drawn = tableOver(numbers(), 'float32', model.spec.embeddingDim)
      lookUp(out, drawn, ids)
      drawn.tensor.dispose()
    },
  }
}

/**
 * The addition of rows of `wpe.weight` where pads take no position (OPT, RoBERTa, MPNet): `undefined` where no slot can
 * be a pad, for then the rows of all windows are the same.
 */
function indexedPositions(
  model: Model,
  { positionIndex }: Architecture,
  facts: RowFacts,
  tensor: PositionTensor,
  rounded: SmallFloat | undefined,
): LayerWork | undefined {
  const table = tensor.table && model.table('wpe.weight')
  if (positionIndex === undefined || (tensor.table !== undefined && table === undefined)) return undefined
  const { pads, base, addsVector } = positionIndex
  if (pads === 'none' || (pads === 'mask' && !facts.canPad)) return undefined
  const { workspace } = model
  return (rows, first, count) => {
    const added = workspace.addends.subarray(0, rows.length)
    const rowIds = positionRowIds(positionIndex, facts, first, count)
    if (table !== undefined) lookUp(added, table, rowIds)
    else if (tensor.table === undefined) {
      const width = rows.length / count
      const from = base + facts.position_offset // the row that the tensor begins with
      for (let i = 0; i < count; i++) {
        const row = added.subarray(i * width, (i + 1) * width)
        if (rowIds[i] < from) row.fill(0)
        else tensor.fill(row, (rowIds[i] - from) * width)
      }
      if (rounded !== undefined) workspace.roundRows(added, rounded)
    }
    if (addsVector) addVector(added, vectorOf(model).subarray(0, rows.length / count))
    if (addsVector && rounded !== undefined) workspace.roundRows(added, rounded)
    addRows(rows, added)
  }
}

/**
 * Rows of `wpe.weight` for the slots `first … first + count − 1` of the flattened [B, T]. With `base` 2, `padRow` 1 and
 * pads by id 1: ids [5, 1, 7] → [2, 1, 3].
 *
 * Sources: transformers 5.23, `OPTLearnedPositionalEmbedding.forward` (mask), `create_position_ids_from_input_ids` of
 * RoBERTa and MPNet (ids).
 */
function positionRowIds(
  { base, pads, padRow = 0, padId }: PositionIndex,
  { batch, position_offset, fillPlaces }: RowFacts,
  first: number,
  count: number,
): Int32Array {
  const { contextLength } = batch
  const begin = first - (first % contextLength) // positions are counted from the window's first slot on
  const slots = new Int32Array(first + count - begin)
  if (pads === 'mask') batch.fillAttentionMask(slots, begin)
  else batch.fillInputIds(slots, begin)
  const pad = pads === 'mask' ? 0 : padId
  const places = fillPlaces && intsOf(fillPlaces, begin, slots.length)
  let position = 0
  for (let i = 0; i < slots.length; i++) {
    const place = places === undefined ? (begin + i) % contextLength : places[i]
    if (place === 0) position = position_offset
    slots[i] = slots[i] === pad ? padRow : base + position++
  }
  return slots.subarray(first - begin)
}

/** The projection that OPT-350m, ELECTRA and ALBERT have between rows and blocks. */
function projectionOf(model: Model): Projection {
  return { project: (out, rows) => model.project(out, rows, 'projection.weight', 'projection.bias') }
}
