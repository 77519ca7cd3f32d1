import type { FloatDtype } from '../tensors/named-tensor.js'
import { type Architecture, takesTokenTypes } from './architectures/architecture.js'
import { type RowBlock, rowPlan } from './architectures/row-plan.js'
import { freshLayerNorm, normParts, rootOfWidth, scaleRows } from './architectures/row-steps.js'
import type { Model } from './model.js'
import { lookUp } from './op.js'
import { indexedPositions } from './position-index.js'
import type { PositionEmbedding } from './positions/position-embedding.js'
import type { Preparing } from './preparation.js'
import { projectionOf } from './projection.js'
import type { RowFacts } from './row-facts.js'
import type { LayerWork, RowSource } from './row-tensor.js'
import { tableOver } from './table.js'

/**
 * An architecture's work as steps of a {@link RowSource}; where the rows are only looked up and positions added, as in
 * gpt2 and llama, there are none.
 *
 * @param added what is added as position rows: rows of the model's own `wpe.weight`, or computed ones
 * @param roundsSteps the rows are rounded between steps: computed positions are a step then
 */
export function architectureSteps(
  model: Model,
  architecture: Architecture,
  facts: RowFacts,
  added: 'table' | 'computed' | undefined,
  roundsSteps: boolean,
): Pick<RowSource, 'steps' | 'prepare' | 'roundsSteps'> {
  const indexed = added === 'table' ? indexedPositions(model, architecture, facts) : undefined
  const isOnlyAdded = architecture.steps.length === 1 && indexed === undefined // 'positions' is always among them
  if (isOnlyAdded && !(roundsSteps && added === 'computed')) return { roundsSteps }
  const { workspace } = model
  const { embeddingDim } = model.spec
  const tokenTypes = takesTokenTypes(architecture) ? tokenTypeLookup(model) : undefined
  const { layerNormEpsilon } = architecture
  const layerNorm = layerNormEpsilon === undefined ? undefined : normOf(model, layerNormEpsilon)

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
  const normAt = roundsSteps && architecture.normRoundsParts ? architecture.steps.indexOf('norm') : -1
  const plan = rowPlan(architecture, { embeddingDim, layerNorm })
  const steps = plan.flatMap((step, i): LayerWork | readonly LayerWork[] => {
    if (i === normAt && layerNorm !== undefined) return normParts(layerNorm)
    if (step === 'project') return projectionOf(model)
    if (step === 'positions') return indexed ?? step
    return (rows, first, count) => step(block(rows, first, count))
  })
  return { steps, prepare: tokenTypes?.prepare, roundsSteps }
}

/**
 * Whether rows are rounded to `dtype` between the steps, as PyTorch rounds them: where that is a checkpoint's own type
 * and its first layer is the one that is asked for.
 */
export function roundsSteps({ spec }: Model, position: PositionEmbedding, dtype: FloatDtype): boolean {
  const isOwn = spec.isCheckpoint && dtype === spec.dtype && position.type === spec.position.type
  return isOwn && dtype !== 'float32'
}

/** The steps between a model's rows and its `inputs_embeds`; undefined: none, these are the plain rows. */
export function inputsEmbedsSteps({ spec }: Model): readonly LayerWork[] | undefined {
  const { scalesInputsEmbeds, scale } = spec.architecture
  if (!scalesInputsEmbeds) return undefined
  const factor = scale ?? rootOfWidth(spec.embeddingDim)
  return [(rows) => scaleRows(rows, factor)]
}

function normOf(model: Model, epsilon: number) {
  return model.layerNorm(epsilon) ?? freshLayerNorm(model.spec.embeddingDim, epsilon)
}

interface TokenTypeLookup extends Preparing {
  /** Writes the rows of `wtt.weight` for these ids. */
  lookUp(out: Float32Array, ids: Int32Array): void
}

function tokenTypeLookup(model: Model): TokenTypeLookup {
  const table = model.table('wtt.weight')
  if (table !== undefined) return { lookUp: (out, ids) => lookUp(out, table, ids) }
  const numbers = model.drawn('wtt.weight')
  return {
    prepare: numbers.prepare,
    lookUp(out, ids) {
      const drawn = tableOver(numbers(), 'float32', model.spec.embeddingDim)
      lookUp(out, drawn, ids)
      drawn.tensor.dispose()
    },
  }
}
