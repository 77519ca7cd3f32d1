/** Bytes in blocks of one size, which threads share; the last block may be longer than its bytes. */
export interface SharedBlocks {
  readonly blocks: readonly SharedArrayBuffer[]
  readonly blockBytes: number
}
