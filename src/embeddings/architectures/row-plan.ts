import type { Architecture } from './architecture.js'
import {
  addTokenTypes,
  type LayerNorm,
  normalizeRows,
  rootOfWidth,
  scaleRows,
  zeroMaskedRows,
} from './row-steps.js'

/** Whole rows of the answer [B·T, C], and what belongs to them. */
export interface RowBlock {
  /** [n, C], changed in place. */
  readonly rows: Float32Array
  /** [n]; absent: all 0. */
  readonly tokenTypeIds?: ArrayLike<number> | undefined
  /** [n]; absent: all 1. */
  readonly attentionMask?: ArrayLike<number> | undefined
}

/** What an architecture's rows need beside the token table. */
export interface RowTables {
  /** `wtt.weight` [types, C], needed where the architecture has token types. */
  readonly tokenTypes?: Float32Array | undefined
  /** Needed where the architecture has a LayerNorm. */
  readonly layerNorm?: LayerNorm | undefined
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
 * @throws Error where a table that the architecture needs is not given
 */
export function rowPlan(architecture: Architecture, embeddingDim: number, tables: RowTables): RowPlan {
  const before: ((block: RowBlock) => void)[] = []
  const after: ((block: RowBlock) => void)[] = []

  if (architecture.scaled) {
    const factor = rootOfWidth(embeddingDim)
    before.push(({ rows }) => scaleRows(rows, factor))
  }
  if (architecture.tokenTypes) {
    const table = needed(tables.tokenTypes, architecture, 'wtt.weight')
    before.push(({ rows, tokenTypeIds }) => addTokenTypes(rows, embeddingDim, table, tokenTypeIds))
  }
  if (architecture.layerNormEpsilon !== undefined) {
    const layerNorm = needed(tables.layerNorm, architecture, 'a LayerNorm')
    after.push(({ rows }) => normalizeRows(rows, layerNorm))
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

function needed<Table>(table: Table | undefined, { name }: Architecture, what: string): Table {
  if (table === undefined) throw new Error(`architecture ${name} needs ${what}`)
  return table
}
