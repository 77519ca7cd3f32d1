/** Token ids, in whatever holds them: an array, a typed array, a TokenBuffer. */
export interface Ids extends Iterable<number> {
  readonly length: number
}
