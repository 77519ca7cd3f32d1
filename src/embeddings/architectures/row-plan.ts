import type { Architecture } from './architecture.js'
import {
  addRows,
  freshLayerNorm,
  type LayerNorm,
  normalizeRows,
  rootOfWidth,
  scaleRows,
  zeroMaskedRows,
} from './row-steps.js'

/** Whole rows of the answer [B·T, C], with their token-type rows and mask. */
export interface RowBlock {
  /** [n, C], changed in place. */
  readonly rows: Float32Array
  /** [n, C]: the rows of `wtt.weight`, needed where the architecture has token types. */
  readonly tokenTypeRows?: Float32Array | undefined
  /** [n]; absent: all 1. */
  readonly attentionMask?: ArrayLike<number> | undefined
}

/**
 * An architecture's work on a block of rows, around the addition of the positions. A step that is `undefined`
 * does nothing: without `beforePositions` lookup and positions may be added in one pass.
 */
export interface RowPlan {
  /** On the looked-up token rows: scale, add the token types. */
  readonly beforePositions?: (block: RowBlock) => void
  /** On the sum: LayerNorm, zero the masked rows. */
  readonly afterPositions?: (block: RowBlock) => void
}

/**
 * The plan of an architecture at width C. gpt2, llama → `{}`; transformer → `beforePositions` scales;
 * bloom → `afterPositions` normalizes.
 *
 * @param layerNorm weight and bias of a model that has its own; absent: weight 1, bias 0
 */
export function rowPlan(architecture: Architecture, embeddingDim: number, layerNorm?: LayerNorm): RowPlan {
  const before: ((block: RowBlock) => void)[] = []
  const after: ((block: RowBlock) => void)[] = []

  if (architecture.scaled) {
    const factor = rootOfWidth(embeddingDim)
    before.push(({ rows }) => scaleRows(rows, factor))
  }
  if (architecture.tokenTypes) {
    before.push(({ rows, tokenTypeRows }) => {
      if (tokenTypeRows === undefined)
        throw new Error(`${architecture.name} needs the rows of its token types`)
      addRows(rows, tokenTypeRows)
    })
  }
  if (architecture.layerNormEpsilon !== undefined) {
    const norm = layerNorm ?? freshLayerNorm(embeddingDim, architecture.layerNormEpsilon)
    after.push(({ rows }) => normalizeRows(rows, norm))
  }
  if (architecture.zeroesMasked) {
    after.push(({ rows, attentionMask }) => {
      if (attentionMask) zeroMaskedRows(rows, embeddingDim, attentionMask)
    })
  }
  return { ...inTurn('beforePositions', before), ...inTurn('afterPositions', after) }
}

function inTurn(step: keyof RowPlan, works: readonly ((block: RowBlock) => void)[]): RowPlan {
  if (works.length === 0) return {}
  return {
    [step]: (block: RowBlock) => {
      for (const work of works) work(block)
    },
  }
}
