/** Where something stands in a body: the bytes from `start` to `end`. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** A change to a body: the bytes from `start` to `end` give way to a document's rows, with text around them. */
export interface Splice extends Place {
  readonly before: string
  /** The document whose torch file stands there as a string of base64; absent: text alone. */
  readonly document?: number
  readonly after: string
}
