import type { FloatDtype } from '../tensors/named-tensor.js'

/** How a static model makes one embedding of a text's rows. */
export interface Pooling {
  readonly flavour: 'model2vec' | 'sentence_transformers'
  readonly normalize: boolean
  /** Most ids of a text; null: all. */
  readonly maxLength: number | null
  /** Whether a longer text keeps its last ids, not its first. */
  readonly keepsLast?: boolean
  /** Model2Vec: code points for each id of `maxLength`, beyond which a text is cut before it is tokenized. */
  readonly medianTokenLength?: number
  /** Ids that are left out before the mean: Model2Vec's unknown token. */
  readonly droppedId?: number
  /** Numbers of an embedding, the first of those that the mean has. Absent: all. */
  readonly dimensions?: number
  /** Type to which the mean is rounded before it is normalized. */
  readonly dtype: FloatDtype
  /** Each id's row is multiplied by its weight; the type of the weights, which `pooling.weight` holds. */
  readonly weights?: 'float16' | 'float32' | 'float64'
  /** Put in front of each text. */
  readonly prompt?: string
  /** Whether callers may give ids in place of a text. Absent: where the tokenizer is one of tiktoken's. */
  readonly acceptIds?: boolean
}

/** Numbers of an embedding of a model whose rows have `rowWidth`. */
export function embeddingWidth(pooling: Pooling, rowWidth: number): number {
  return Math.min(pooling.dimensions ?? rowWidth, rowWidth)
}

/** The table of the weights: float32 [V], or those of 64 bits as pairs of float32 words [V, 2]. */
export const POOLING_WEIGHT = 'pooling.weight'

/** The table of the ranges of embeddings, by which they are stored in 8 bits: float32 [2, C], least and greatest values. */
export const POOLING_RANGES = 'pooling.ranges'

/** Tables that belong to the pooling: they are neither read back nor exchanged. */
export const POOLING_TABLES: readonly string[] = [POOLING_WEIGHT, POOLING_RANGES]
