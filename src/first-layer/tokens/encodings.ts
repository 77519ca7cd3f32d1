export type EncodingName = 'gpt2' | 'r50k_base' | 'p50k_base' | 'cl100k_base' | 'o200k_base'

/**
 * The patterns of the five encodings, which cut a text into pieces before its bytes are merged, as Oniguruma writes what
 * tiktoken does.
 */
export const PATTERNS = {
  gpt2: String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s`,
  cl100k: String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s`,
  o200k: ['*', '+']
    .map(
      (least) =>
        String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]${least}[\p{Ll}\p{Lm}\p{Lo}\p{M}]${least === '*' ? '+' : '*'}(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    )
    .concat(String.raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`)
    .join('|'),
}

/** The names of {@link PATTERNS}. */
export type PatternName = keyof typeof PATTERNS

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
