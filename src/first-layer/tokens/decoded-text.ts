/** A text made of ids, for callers that never hold all of it. */
export interface DecodedText {
  /** Whether bytes that are not UTF-8 came as U+FFFD. */
  readonly lossy: boolean
  /** The text from its start, in parts of whole code points, each a fraction of a millisecond of work. */
  parts(): Iterable<string>
}
