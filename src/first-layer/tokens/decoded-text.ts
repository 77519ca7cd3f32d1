/** The text of ids, in parts, so that callers need not hold all of it. */
export interface DecodedText {
  /** Whether bytes that are not UTF-8 were replaced by U+FFFD. */
  readonly lossy: boolean
  /** The text from its start, in parts of whole code points, each a fraction of a millisecond of work. */
  parts(): Iterable<string>
}
