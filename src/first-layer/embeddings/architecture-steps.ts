import type { FloatDtype } from '../tensors/named-tensor.js'
import type { RowBatch } from '../windows/batch.js'
import type { Architecture, LayerStep } from './architectures/registry.js'
import {
  addRows,
  addVector,
  normalizeInLanes,
  normalizeRows,
  normParts,
  rootOfWidth,
  scaleRows,
  zeroMaskedRows,
} from './architectures/row-steps.js'
import type { Model } from './model.js'
import { lookUp, tableOver } from './op.js'
import { intsOf, type SlotFacts } from './position-tensors.js'
import type { PositionEmbedding } from './positions/position-embedding.js'
import { isLookup, type LayerWork, type RowSource } from './row-tensor.js'

/** Facts about a batch beside its tokens. */
export interface RowFacts extends SlotFacts {
  /** Writes rows of the token-type table. */
  fillTokenTypeIds(out: Int32Array, first: number): void
}

/**
 * An architecture's work as steps of a {@link RowSource}.
 *
 * @param roundsSteps rows are rounded between steps
 */
export function architectureSteps(
  model: Model,
  architecture: Architecture,
  facts: RowFacts,
  roundsSteps: boolean,
): LayerSteps {
  if (isLookup(architecture.steps)) return { roundsSteps } // a plan takes two microseconds
  const types = architecture.steps.includes('types') ? tokenTypeLookup(model) : undefined
  const workOf = (step: LayerStep): LayerWork | readonly LayerWork[] => {
    switch (step) {
      case 'positions':
        return step
      case 'project':
        return { project: (out, rows) => model.project(out, rows, 'projection.weight', 'projection.bias') }
      case 'norm':
        return normOf(model, architecture, roundsSteps)
      case 'row':
        return ownRow(model, architecture, facts.batch)
      case 'vector':
        return (rows) => addVector(rows, model.values('vector.weight') ?? NO_VECTOR)
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
          const mask = intsOf((out, at) => facts.batch.fill('attention_mask', out, at), first, count)
          zeroMaskedRows(rows, mask)
        }
    }
  }
  return { steps: architecture.steps.flatMap(workOf), drawn: types?.drawn, roundsSteps }
}

export type LayerSteps = Pick<RowSource, 'steps' | 'drawn' | 'roundsSteps'>

const NO_VECTOR = new Float32Array(1)

/** Puts `row.weight` in the place of the rows of one id: zeros, if the model has none. */
function ownRow(model: Model, { rowId }: Architecture, batch: RowBatch): LayerWork {
  const row = model.values('row.weight')
  return (rows, first, count) => {
    const width = rows.length / count
    const ids = intsOf((out, at) => batch.fill('input_ids', out, at), first, count)
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
  const width = model.spec.embeddingDim
  const weight = model.values('norm.weight') ?? new Float32Array(width).fill(1) // as before any training
  const bias = model.values('norm.bias') ?? new Float32Array(weight.length)
  const norm = { epsilon, isRms, weight, bias }
  if (roundsSteps && normRoundsParts) return normParts(norm)
  return (rows) => (roundsSteps && !isRms ? normalizeInLanes(rows, norm) : normalizeRows(rows, norm))
}

/**
 * Whether rows are rounded to `dtype` between the steps, as PyTorch rounds them: where that is a checkpoint's own type
 * and its first layer is the one that is asked for.
 */
export function roundsTo({ spec }: Model, position: PositionEmbedding, dtype: FloatDtype): boolean {
  const isOwn = spec.isCheckpoint && dtype === spec.dtype && position.type === spec.position.type
  return isOwn && dtype !== 'float32'
}

/** The steps between a model's rows and its `inputs_embeds`: none where these are the plain rows. */
export function inputsEmbedsSteps(model: Model, batch: RowBatch, dtype: FloatDtype): LayerSteps {
  const { architecture, position } = model.spec
  const steps = architecture.steps.slice(0, architecture.embedSteps ?? 0)
  if (steps.length === 0) return {}
  const facts = { batch, canPad: false, fillTokenTypeIds() {} }
  return architectureSteps(model, { ...architecture, steps }, facts, roundsTo(model, position, dtype))
}

/** Looks rows of `wtt.weight` up, which is drawn for the request where the model does not hold it. */
function tokenTypeLookup(model: Model) {
  const held = model.table('wtt.weight')
  const numbers = held === undefined ? model.drawn('wtt.weight') : undefined
  return {
    drawn: numbers?.drawn && [numbers.drawn],
    lookUp(out: Float32Array, ids: Int32Array): void {
      const table = held ?? tableOver(numbers!(), 'float32', model.spec.embeddingDim)
      lookUp(out, table, ids)
      if (held === undefined) table.tensor.dispose()
    },
  }
}
