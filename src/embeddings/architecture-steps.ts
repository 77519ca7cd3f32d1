import type { Architecture } from './architectures/architecture.js'
import { rowPlan } from './architectures/row-plan.js'
import type { Model } from './model.js'
import { lookUp } from './op.js'
import type { Preparing } from './preparation.js'
import type { RowSource } from './row-tensor.js'
import { tableOver } from './table.js'

/** Token types and attention mask of the rows of [B, T], filled range by range. */
export interface RowFacts {
  fillTokenTypeIds(out: Int32Array, first: number): void
  fillAttentionMask(out: Int32Array, first: number): void
}

/** An architecture's work as steps of a {@link RowSource}; gpt2 and llama have none. */
export function architectureSteps(
  model: Model,
  architecture: Architecture,
  facts: RowFacts,
): Pick<RowSource, 'beforePositions' | 'afterPositions' | 'prepare'> {
  const { workspace } = model
  const dim = model.spec.embeddingDim
  const { layerNormEpsilon } = architecture
  const norm = layerNormEpsilon === undefined ? undefined : model.layerNorm(layerNormEpsilon)
  const { beforePositions, afterPositions } = rowPlan(architecture, dim, norm)
  const tokenTypes = architecture.tokenTypes ? tokenTypeLookup(model) : undefined

  /** One int32 for each row. */
  const ints = (rows: Float32Array, first: number, fill: RowFacts['fillAttentionMask']) => {
    const out = new Int32Array(rows.length / dim)
    fill(out, first)
    return out
  }
  const tokenTypeRows = (rows: Float32Array, first: number) => {
    const out = workspace.addends.subarray(0, rows.length)
    tokenTypes?.lookUp(out, ints(rows, first, facts.fillTokenTypeIds))
    return out
  }
  return {
    prepare: tokenTypes?.prepare,
    beforePositions:
      beforePositions &&
      ((rows, first) =>
        beforePositions({
          rows,
          tokenTypeRows: architecture.tokenTypes ? tokenTypeRows(rows, first) : undefined,
        })),
    afterPositions:
      afterPositions &&
      ((rows, first) =>
        afterPositions({
          rows,
          attentionMask: architecture.zeroesMasked ? ints(rows, first, facts.fillAttentionMask) : undefined,
        })),
  }
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
