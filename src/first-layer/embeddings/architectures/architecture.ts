import type { PositionEmbeddingValue } from '../positions/position-embedding.js'

/**
 * One thing that a first layer does to looked-up rows:
 *
 * - `scale`: multiply by a number
 * - `types`: add the row of `wtt.weight` that `token_type_ids` names
 * - `positions`: add the position rows of an additive scheme
 * - `norm`: LayerNorm over the channels
 * - `project`: multiply by `projection.weight` [hidden, C], add `projection.bias`
 * - `mask`: write 0 over the rows that the attention mask hides
 */
export type LayerStep = 'scale' | 'types' | 'positions' | 'norm' | 'project' | 'mask'

/** What an architecture does between a row of the token table and the first block. Plain data. */
export interface Architecture {
  /** The wire value, `architecture: "bert"`. */
  readonly name: string
  /** The position scheme for requests that name none, as on the wire. */
  readonly positionEmbedding: PositionEmbeddingWire
  /** What is done to the looked-up rows, in order. Positions are always among it: a request may choose a scheme. */
  readonly steps: readonly LayerStep[]
  /** Factor of `scale`, a float32 number; absent: √C, rounded to float32. */
  readonly scale?: number
  /** The embedding module itself scales: `inputs_embeds` are scaled too. */
  readonly scalesInputsEmbeds?: boolean
  /** Epsilon of `norm`. */
  readonly layerNormEpsilon?: number
  /** Where steps are rounded, so are `norm`'s own: what is normalised, and its product with the weight (DeBERTa). */
  readonly normRoundsParts?: boolean
  /** Which row of `wpe.weight` belongs to a token, where it is not that of its position. */
  readonly positionIndex?: PositionIndex
}

/** Which row of `wpe.weight` belongs to a token. */
export interface PositionIndex {
  /** Row of position 0. */
  readonly base: number
  /**
   * What makes a slot a pad, so that it takes no position and gets the row `padRow`: nothing (BART), the attention mask
   * (OPT), the token's id (RoBERTa).
   */
  readonly pads: 'none' | 'mask' | 'id'
  readonly padRow?: number
  /** A row of zeros, whatever the scheme gives for it (XGLM's row of the pad's id). */
  readonly zeroRow?: number
  /** The id that is a pad, where `pads` is `id`. */
  readonly padId?: number
}

/** A scheme as a request may write it: a type, or an object with some options. */
export type PositionEmbeddingWire = string | PositionEmbeddingValue

/** Whether requests may give `token_type_ids`. */
export function takesTokenTypes({ steps }: Architecture): boolean {
  return steps.includes('types')
}
