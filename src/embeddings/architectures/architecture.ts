import type { PositionEmbeddingValue } from '../positions/position-embedding.js'

/**
 * What an architecture does to its token rows, in this order: look up, scale, add the token-type row, add the
 * position rows (of an additive scheme), LayerNorm, zero the rows that the attention mask hides.
 */
export interface Architecture {
  /** The wire value, `architecture: "bert"`. */
  readonly name: string
  /** The position scheme for requests that name none, as on the wire. */
  readonly positionEmbedding: PositionEmbeddingWire
  /** Multiply the token rows by √C, rounded to float32. */
  readonly scaled: boolean
  /** Add the row of `wtt.weight` that `token_type_ids` names; other architectures refuse the field. */
  readonly tokenTypes: boolean
  /** LayerNorm over the channels, with this epsilon. */
  readonly layerNormEpsilon?: number
  /** Rows with attention_mask 0 become 0. */
  readonly zeroesMasked: boolean
}

/** A scheme as a request may write it: a type, or an object with some options. */
export type PositionEmbeddingWire = string | PositionEmbeddingValue
