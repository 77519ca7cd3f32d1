import type { Architecture } from '../embeddings/architectures/architecture.js'
import type { PositionEmbeddingValue } from '../embeddings/positions/position-embedding.js'
import type { FloatDtype } from '../named-tensor.js'

/** The tokenizer that turns a model's text into ids. */
export interface TokenizerCard {
  /** Which kind of tokenizer. */
  readonly type: 'tiktoken'
  /** The encoding's name, `gpt2`. */
  readonly encoding: string
}

/** Where a model's tables come from. */
export type SourceCard =
  | {
      readonly type: 'seed'
      /** `torch.manual_seed` before the tables are drawn. */
      readonly seed: bigint
      /** Standard deviation of the tables; 1 is `nn.Embedding`'s own. */
      readonly initStd: number
    }
  | { readonly type: 'upload' }

/**
 * What a model is, apart from its numbers: plain data, which can be posted to a thread and shown to a user. Each
 * thread binds it once (`models/model.ts`).
 */
export interface ModelCard {
  readonly id: string
  /** The model type that a checkpoint states; `seed` where there is no checkpoint. */
  readonly modelType: string
  readonly tokenizer: TokenizerCard
  /** V: rows of `wte.weight`. */
  readonly vocabSize: number
  /** C: elements of a row of `wte.weight`. */
  readonly embeddingDim: number
  /** Elements of a row of `input_embeddings`: C, unless the first layer projects. */
  readonly hiddenSize: number
  /** P: the positions that `wpe.weight` has rows for. */
  readonly maxPositionEmbeddings: number
  /** Rows of `wtt.weight`. */
  readonly typeVocabSize: number
  /** Element type of the tables. */
  readonly dtype: FloatDtype
  /** The architecture's name. */
  readonly architecture: string
  /** What a checkpoint does between row and first block; absent: what the architecture of that name does. */
  readonly layer?: Architecture
  /** The id that fills padded slots, where a checkpoint names one. */
  readonly padTokenId?: number
  /** The position scheme as on the wire, every option filled in. */
  readonly positionEmbedding: PositionEmbeddingValue
  readonly source: SourceCard
}

/** The width of the widest rows that are made: the scratch space of each thread has room for some. */
export function widestRow({ embeddingDim, hiddenSize }: ModelCard): number {
  return Math.max(embeddingDim, hiddenSize)
}
