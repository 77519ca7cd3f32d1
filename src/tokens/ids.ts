/** Token ids, in whatever holds them: an array, a typed array, a TokenBuffer. */
export interface Ids {
  readonly length: number
  at(index: number): number | undefined
}
