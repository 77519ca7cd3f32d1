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
