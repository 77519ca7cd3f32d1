import { diskFull } from '../../datasets/errors.js'

/** A disk without room, a user without any, a process that may write no larger file. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** The error of callers for what a file operation threw: 507 for a full disk, others as they are. */
export function refusal(error: unknown, neededBytes: number): unknown {
  return FULL.includes((error as NodeJS.ErrnoException).code ?? '') ? diskFull(neededBytes) : error
}

/** Counts bytes on their way. */
export class Counted implements Iterable<Uint8Array> {
  bytes = 0

  constructor(private readonly blocks: Iterable<Uint8Array>) {}

  *[Symbol.iterator]() {
    for (const block of this.blocks) {
      this.bytes += block.length
      yield block
    }
  }
}
