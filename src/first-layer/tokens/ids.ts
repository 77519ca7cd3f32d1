/** Token ids in an array, a typed array or a TokenBuffer. */
export interface Ids {
  readonly length: number
  at(index: number): number | undefined
}
