import type { EncodingName } from '../tokens/encodings.js'

/** A card as JSON, as `models/tiny/inlet.json`: `{ "vocab_size": 6, "embedding_dim": 3 }`. */
export interface CardJson {
  /** The tokenizer. Default: `gpt2`. */
  readonly encoding?: EncodingName
  /** V, rows of the token table. Default: the encoding's highest id + 1. */
  readonly vocab_size?: number
  /** C, elements of a row. Default: 256. */
  readonly embedding_dim?: number
  /** P, rows of the learned position table. Default: 1024. */
  readonly max_position_embeddings?: number
  /** Rows of the token-type table. Default: 2. */
  readonly type_vocab_size?: number
  /** `torch.manual_seed` before the tables are drawn, −2^63 … 2^64 − 1. Default: 123. */
  readonly seed?: number | bigint | string
  /** Standard deviation of the tables. Default: 1, `nn.Embedding`'s own. */
  readonly init_std?: number
  /** Default: `gpt2`. */
  readonly architecture?: string
  /** A scheme's type, or an object with its options. Default: the architecture's own. */
  readonly position_embedding?: string | { readonly type: string; readonly [option: string]: unknown }
}
