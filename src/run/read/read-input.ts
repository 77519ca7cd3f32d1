/** An input that was read to its end. */
export interface ReadInput {
  readonly sha256: string
  /** As it is stored. */
  readonly bytes: number
  /** Code points of all texts. */
  readonly characters: number
}
