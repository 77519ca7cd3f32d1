/** The bytes of all tokens: token `id` is `bytes[offsets[id] … offsets[id + 1]]`, empty where ids have a hole. */
export interface Vocabulary {
  /** Highest id + 1, special tokens included. */
  readonly size: number
  readonly bytes: Uint8Array
  /** Up to the highest id that is no special token, and where its bytes end. */
  readonly offsets: Uint32Array
  /** Literal → id. */
  readonly specialTokens: ReadonlyMap<string, number>
}
