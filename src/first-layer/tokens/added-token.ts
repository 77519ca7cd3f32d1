/** An entry of tokenizer.json's `added_tokens`, with the id that the library gives it. */
export interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
  /** Matched in the normalized text, its content normalized too; else in the text as it came. */
  readonly normalized: boolean
  /** Not matched beside a word character. */
  readonly singleWord: boolean
  /** Takes the white space before it along. */
  readonly lstrip: boolean
  /** Takes the white space behind it along. */
  readonly rstrip: boolean
}

/** A special token that is nothing but its literal. */
export function specialToken(content: string, id: number): AddedToken {
  return { id, content, special: true, normalized: false, singleWord: false, lstrip: false, rstrip: false }
}
