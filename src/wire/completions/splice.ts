/** A change to a body: the bytes from `start` to `end` give way to a document's rows, with text around them. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly before: string
  /** The document whose torch file stands there as a string of base64; absent: text alone. */
  readonly document?: number
  readonly after: string
}
