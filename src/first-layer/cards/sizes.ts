/** Smallest and largest value of each configurable size. */
export const SIZE_RANGES = {
  vocab_size: [1, 2 ** 31 - 1],
  embedding_dim: [1, 1_048_576],
  max_position_embeddings: [1, 2 ** 31 - 1],
  type_vocab_size: [1, 65_536],
} as const

/** Greatest standard deviation of drawn tables. */
export const MAX_INIT_STD = 1e6

/** Defaults of a card's fields; that of `embedding_dim` is for models without a card file: the environment's, and scripts'. */
export const CARD_DEFAULTS = {
  encoding: 'gpt2',
  embedding_dim: 256,
  max_position_embeddings: 1024,
  type_vocab_size: 2,
  seed: 123n,
  init_std: 1,
  architecture: 'gpt2',
} as const
