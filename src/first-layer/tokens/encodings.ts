export type EncodingName = 'gpt2' | 'r50k_base' | 'p50k_base' | 'cl100k_base' | 'o200k_base'

/** The patterns of the five encodings, which cut a text into pieces before its bytes are merged. */
export type PatternName = 'gpt2' | 'cl100k' | 'o200k'

interface EncodingSource {
  /** Highest id + 1, special tokens included: known before the ranks are read. */
  readonly vocabSize: number
  readonly pattern: PatternName
}

/** Wire value → size and pattern. */
export const ENCODINGS: Readonly<Record<EncodingName, EncodingSource>> = {
  gpt2: { pattern: 'gpt2', vocabSize: 50_257 },
  r50k_base: { pattern: 'gpt2', vocabSize: 50_257 },
  p50k_base: { pattern: 'gpt2', vocabSize: 50_281 },
  cl100k_base: { pattern: 'cl100k', vocabSize: 100_277 },
  o200k_base: { pattern: 'o200k', vocabSize: 200_019 },
}

export const ENCODING_NAMES = Object.keys(ENCODINGS) as readonly EncodingName[]

/** The encoding of commands that name none. */
export const DEFAULT_ENCODING: EncodingName = 'gpt2'
