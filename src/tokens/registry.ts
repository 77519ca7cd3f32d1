export type EncodingName = 'gpt2' | 'r50k_base' | 'p50k_base' | 'cl100k_base' | 'o200k_base'

/** Ranks in js-tiktoken's form: lines of `! FIRST_RANK TOKEN TOKEN …`, the tokens in base64. */
export interface RankFile {
  readonly bpe_ranks: string
  readonly special_tokens: Readonly<Record<string, number>>
}

/** How a text is cut into pieces before its bytes are merged; three families serve the five encodings. */
export type PatternName = 'gpt2' | 'cl100k' | 'o200k'

interface EncodingSource {
  /** Highest id + 1, special tokens included: known before the ranks are read. */
  readonly vocabSize: number
  readonly pattern: PatternName
  ranks(): Promise<{ default: RankFile }>
}

/** Wire value → where its ranks are and which pattern cuts its text. Ranks are read at first use. */
export const ENCODINGS: Readonly<Record<EncodingName, EncodingSource>> = {
  gpt2: { pattern: 'gpt2', vocabSize: 50_257, ranks: () => import('js-tiktoken/ranks/gpt2') },
  r50k_base: { pattern: 'gpt2', vocabSize: 50_257, ranks: () => import('js-tiktoken/ranks/r50k_base') },
  p50k_base: { pattern: 'gpt2', vocabSize: 50_281, ranks: () => import('js-tiktoken/ranks/p50k_base') },
  cl100k_base: {
    pattern: 'cl100k',
    vocabSize: 100_277,
    ranks: () => import('js-tiktoken/ranks/cl100k_base'),
  },
  o200k_base: { pattern: 'o200k', vocabSize: 200_019, ranks: () => import('js-tiktoken/ranks/o200k_base') },
}

export const ENCODING_NAMES = Object.keys(ENCODINGS) as readonly EncodingName[]
