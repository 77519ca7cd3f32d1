import type { Architecture } from './architectures/architecture.js'
import { rowPlan } from './architectures/row-plan.js'
import type { Model } from './model.js'
import { lookUp } from './op.js'
import type { RowSource } from './row-tensor.js'

/** What is known of each row besides its token: elements of [B, T] by range. */
export interface RowFacts {
  fillTokenTypeIds(out: Int32Array, first: number): void
  fillAttentionMask(out: Int32Array, first: number): void
}

/** An architecture's work as steps of a {@link RowSource}; gpt2 and llama have none. */
export function architectureSteps(
  model: Model,
  architecture: Architecture,
  facts: RowFacts,
): Pick<RowSource, 'beforePositions' | 'afterPositions'> {
  const { workspace } = model
  const dim = model.spec.embeddingDim
  const { beforePositions, afterPositions } = rowPlan(architecture, dim)

  /** One int32 for each row. */
  const ints = (rows: Float32Array, first: number, fill: RowFacts['fillAttentionMask']) => {
    const out = new Int32Array(rows.length / dim)
    fill(out, first)
    return out
  }
  const tokenTypeRows = (rows: Float32Array, first: number) => {
    const out = workspace.addends.subarray(0, rows.length)
    lookUp(out, model.table('wtt.weight'), ints(rows, first, facts.fillTokenTypeIds))
    return out
  }
  return {
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
