/** An entry of tokenizer.json's `added_tokens`, with the Rust library's id. */
export interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
  /** Searched in the normalized text, with normalized content; else in the original text. */
  readonly normalized: boolean
  /** Not found beside a word character. */
  readonly singleWord: boolean
  /** Takes the white space before it along. */
  readonly lstrip: boolean
  /** Takes the white space behind it along. */
  readonly rstrip: boolean
}

/** A special token without options. */
export function specialToken(content: string, id: number): AddedToken {
  return { id, content, special: true, normalized: false, singleWord: false, lstrip: false, rstrip: false }
}

/** A regular expression that finds literals: the first one, and the longest of several at one place. */
export function literalsExpression(literals: readonly string[], flags: 'g' | 'y' = 'g'): RegExp {
  const longestFirst = literals.toSorted((a, b) => b.length - a.length)
  const escaped = longestFirst.map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(escaped.join('|') || '(?!)', flags)
}

/** The special ones, literal → id. */
export function specialTokensOf(tokens: readonly AddedToken[]): ReadonlyMap<string, number> {
  return new Map(tokens.filter(({ special }) => special).map(({ content, id }) => [content, id]))
}

/** `<|endoftext|>` if that is a token, and the tokenizer's own `bos_token` and `eos_token`, by these names. */
export type DocumentMarks = Readonly<Partial<Record<'endoftext' | 'eos' | 'bos', number>>>

/** A tokenizer's tokens beside the vocabulary. */
export interface TokenFacts {
  readonly addedTokens: readonly AddedToken[]
  /** The separator of documents. */
  readonly endOfText: number | undefined
  readonly marks?: DocumentMarks | undefined
}

/** Ids around a document under `addSpecialTokens`: `[CLS]` before it, `[SEP]` after it. */
export interface SpecialTemplate {
  readonly before: readonly number[]
  readonly after: readonly number[]
}

export const NO_TEMPLATE: SpecialTemplate = { before: [], after: [] }
