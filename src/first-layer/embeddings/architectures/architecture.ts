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

/** The steps between a row of the token table and the first block. Plain data. */
export interface Architecture {
  /** The wire value, `architecture: "bert"`. */
  readonly name: string
  /** The position scheme for requests that name none, as on the wire. */
  readonly positionEmbedding: PositionEmbeddingWire
  /** The steps for looked-up rows, in order. `positions` is always among them: a request may choose a scheme. */
  readonly steps: readonly LayerStep[]
  /** Factor of `scale`, a float32 number; absent: √C, rounded to float32. */
  readonly scale?: number
  /** The embedding module itself scales: `inputs_embeds` are scaled too. */
  readonly scalesInputsEmbeds?: boolean
  /** Epsilon of `norm`. */
  readonly layerNormEpsilon?: number
  /** Rounds the parts of `norm` too if the steps are rounded: the normalised rows and their product with the weight (DeBERTa). */
  readonly normRoundsParts?: boolean
  /** Absent: a token's row of `wpe.weight` is that of its position. */
  readonly positionIndex?: PositionIndex
}

/** The row of `wpe.weight` that belongs to a token. */
export interface PositionIndex {
  /** Row of position 0. */
  readonly base: number
  /**
   * How a slot is known to be a pad, which takes no position and gets the row `padRow`: by the attention mask (OPT), by
   * the token's id (RoBERTa), or not at all (BART).
   */
  readonly pads: 'none' | 'mask' | 'id'
  readonly padRow?: number
  /** A row of zeros, whatever the scheme computes for it (XGLM: the row of the pad's id). */
  readonly zeroRow?: number
  /** The pad's id, if `pads` is `id`. */
  readonly padId?: number
}

/** A scheme as a request may write it: a type, or an object with some options. */
export type PositionEmbeddingWire = string | PositionEmbeddingValue

/** Whether requests may give `token_type_ids`. */
export function takesTokenTypes({ steps }: Architecture): boolean {
  return steps.includes('types')
}
