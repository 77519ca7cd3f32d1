import type { Architecture, LayerStep } from './architecture.js'
import {
  addRows,
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
  /** [n, C]: the rows of `wtt.weight`, needed if the architecture has token types. */
  readonly tokenTypeRows?: Float32Array | undefined
  /** [n]; absent: all 1. */
  readonly attentionMask?: ArrayLike<number> | undefined
}

/** A step of a first layer: a function that works on rows in place, or a step for which the caller has the tables. */
export type PlannedStep = ((block: RowBlock) => void) | 'positions' | 'project'

/** The model's part in the steps. */
export interface LayerConstants {
  /** Width of the rows that are looked up. */
  readonly embeddingDim: number
  /** Needed if the architecture normalizes. */
  readonly layerNorm?: LayerNorm | undefined
}

/**
 * The steps of an architecture in their order. gpt2, llama → `['positions']`; transformer → a function that scales,
 * then `'positions'`.
 */
export function rowPlan(architecture: Architecture, constants: LayerConstants): readonly PlannedStep[] {
  return architecture.steps.map((step) => plannedStep(step, architecture, constants))
}

function plannedStep(
  step: LayerStep,
  { name, scale }: Architecture,
  { embeddingDim, layerNorm }: LayerConstants,
): PlannedStep {
  switch (step) {
    case 'positions':
    case 'project':
      return step
    case 'scale': {
      const factor = scale ?? rootOfWidth(embeddingDim)
      return ({ rows }) => scaleRows(rows, factor)
    }
    case 'types':
      return ({ rows, tokenTypeRows }) => {
        if (tokenTypeRows === undefined) throw new Error(`${name} needs the rows of its token types`)
        addRows(rows, tokenTypeRows)
      }
    case 'norm':
      if (layerNorm === undefined) throw new Error(`${name} needs the constants of its LayerNorm`)
      return ({ rows }) => normalizeRows(rows, layerNorm)
    case 'mask':
      return ({ rows, attentionMask }) => {
        if (attentionMask) zeroMaskedRows(rows, rows.length / attentionMask.length, attentionMask)
      }
  }
}
