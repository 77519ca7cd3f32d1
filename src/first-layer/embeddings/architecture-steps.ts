import { STORAGE } from '../kernels/kernels.js'
import type { Drawn } from '../random/drawn.js'
import type { FloatDtype } from '../tensors/named-tensor.js'
import { type Architecture, type PositionIndex, takesTokenTypes } from './architectures/registry.js'
import {
  addRows,
  addVector,
  freshLayerNorm,
  normalizeInLanes,
  normParts,
  type RowBlock,
  rowPlan,
} from './architectures/row-steps.js'
import type { Model } from './model.js'
import { lookUp, tableOver } from './op.js'
import type { PositionEmbedding } from './positions/position-embedding.js'
import type { PositionTensor } from './positions/scheme.js'
import type { FillPlaces, LayerWork, Projection, RowSource } from './row-tensor.js'

/** Token types, attention mask and ids of the rows of [B, T], filled range by range. */
interface RowFacts {
  /** T */
  readonly contextLength: number
  /** Position of a window's first token. */
  readonly position_offset: number
  /**
   * Writes places counted from the start of each segment, for packed windows. Absent: positions count from the start
   * of each window.
   */
  readonly fillPlaces?: FillPlaces | undefined
  /** Whether some slots may be pads. */
  readonly canPad: boolean
  fillTokenTypeIds(out: Int32Array, first: number): void
  fillAttentionMask(out: Int32Array, first: number): void
  fillInputIds(out: Int32Array, first: number): void
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
  const { workspace } = model
  const { embeddingDim } = model.spec
  const tokenTypes = takesTokenTypes(architecture) ? tokenTypeLookup(model) : undefined
  const layerNorm = normOf(model, architecture)

  /** One int32 for each row. */
  const ints = (count: number, first: number, fill: RowFacts['fillAttentionMask']) => {
    const out = new Int32Array(count)
    fill(out, first)
    return out
  }
  /** A block whose token types and mask are made when a step reads them. */
  const block = (rows: Float32Array, first: number, count: number): RowBlock => ({
    rows,
    get tokenTypeRows() {
      const out = workspace.addends.subarray(0, rows.length)
      tokenTypes?.lookUp(out, ints(count, first, facts.fillTokenTypeIds))
      return out
    },
    get attentionMask() {
      return ints(count, first, facts.fillAttentionMask)
    },
  })
  const normAt = roundsSteps ? architecture.steps.indexOf('norm') : -1
  const plan = rowPlan(architecture, { embeddingDim, layerNorm })
  const steps = plan.flatMap((step, i): LayerWork | readonly LayerWork[] => {
    if (i === normAt && layerNorm !== undefined) {
      if (architecture.normRoundsParts) return normParts(layerNorm)
      if (!layerNorm.isRms) return (rows) => normalizeInLanes(rows, layerNorm)
    }
    if (step === 'project') return projectionOf(model)
    if (step === 'positions') return indexed ?? step
    if (step === 'vector') return (rows) => addVector(rows, vectorOf(model))
    if (step === 'row') return ownRow(model, architecture, facts)
    return (rows, first, count) => step(block(rows, first, count))
  })
  return { steps, drawn: tokenTypes?.drawn, roundsSteps }
}

type LayerSteps = Pick<RowSource, 'steps' | 'drawn' | 'roundsSteps'>
type SmallFloat = Exclude<FloatDtype, 'float32'>

const vectorOf = (model: Model) => model.values('vector.weight') ?? new Float32Array(1)

/** Puts `row.weight` in the place of the rows of one id: zeros, if the model has none. */
function ownRow(
  model: Model,
  { rowId }: Architecture,
  { fillInputIds }: Pick<RowFacts, 'fillInputIds'>,
): LayerWork {
  const row = model.values('row.weight')
  return (rows, first, count) => {
    const [ids, width] = [new Int32Array(count), rows.length / count]
    fillInputIds(ids, first)
    for (let i = ids.indexOf(rowId!); i >= 0; i = ids.indexOf(rowId!, i + 1)) {
      if (row === undefined) rows.fill(0, i * width, (i + 1) * width)
      else rows.set(row, i * width)
    }
  }
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
export function inputsEmbedsSteps(
  model: Model,
  fillInputIds: RowFacts['fillInputIds'],
  dtype: FloatDtype,
): LayerSteps {
  const { architecture, position } = model.spec
  const steps = architecture.steps.slice(0, architecture.embedSteps ?? 0)
  if (steps.length === 0) return {}
  const facts = { ...NO_FACTS, fillInputIds }
  return architectureSteps(
    model,
    { ...architecture, steps },
    facts,
    undefined,
    roundedTo(model, position, dtype),
  )
}

/** Placeholders for facts that these steps never read. */
const NO_FACTS = {
  contextLength: 1,
  position_offset: 0,
  canPad: false,
  fillTokenTypeIds() {},
  fillAttentionMask() {},
}

function normOf(model: Model, { layerNormEpsilon: epsilon, isRms }: Architecture) {
  if (epsilon === undefined) return undefined
  return { ...(model.layerNorm(epsilon) ?? freshLayerNorm(model.spec.embeddingDim, epsilon)), isRms }
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
  facts: Omit<RowFacts, 'canPad' | 'fillTokenTypeIds'>,
  first: number,
  count: number,
): Int32Array {
  const { contextLength, position_offset, fillPlaces } = facts
  const begin = first - (first % contextLength) // positions are counted from the window's first slot on
  const slots = new Int32Array(first + count - begin)
  if (pads === 'mask') facts.fillAttentionMask(slots, begin)
  else facts.fillInputIds(slots, begin)
  const isPad = pads === 'mask' ? (value: number) => value === 0 : (value: number) => value === padId
  const places = fillPlaces && new Int32Array(slots.length)
  if (places !== undefined) fillPlaces?.(places, begin)
  let position = 0
  for (let i = 0; i < slots.length; i++) {
    const place = places === undefined ? (begin + i) % contextLength : places[i]
    if (place === 0) position = position_offset
    slots[i] = isPad(slots[i]) ? padRow : base + position++
  }
  return slots.subarray(first - begin)
}

/**
 * The multiplication by `projection.weight` [hidden, C] (and addition of `projection.bias`), in float32, that OPT-350m,
 * ELECTRA and ALBERT have between rows and blocks.
 */
function projectionOf(model: Model): Projection {
  const { workspace, spec } = model
  const weight = model.place('projection.weight')
  if (weight === undefined) throw new Error(`${spec.id} has no projection.weight`)
  const bias = model.place('projection.bias')
  const [hiddenSize, width] = weight.shape
  return {
    hiddenSize,
    project(out, rows) {
      const count = rows.length / width
      workspace.kernels.projectRows(
        out.byteOffset,
        rows.byteOffset,
        count,
        width,
        weight.pointer,
        STORAGE[weight.dtype],
        bias?.pointer ?? 0,
        STORAGE[bias?.dtype ?? 'float32'],
        hiddenSize,
        workspace.addends.byteOffset,
      )
    },
  }
}
