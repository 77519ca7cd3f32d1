import type { Blocks } from '../first-layer/steps.js'
import { BlockPool } from './block-pool.js'

const JOINED_BYTES = 1 << 16
const pool = new BlockPool(JOINED_BYTES, 16)

/** The same bytes with few small blocks: those that fit are gathered in one of 64 KiB, since each block is a write. */
export function* joinedBlocks(blocks: Blocks): Blocks {
  const joined = pool.take()
  let bytes = 0
  try {
    for (const block of blocks) {
      if (!(block instanceof Uint8Array)) {
        yield block
        continue
      }
      if (bytes > 0 && bytes + block.length > JOINED_BYTES) {
        yield joined.subarray(0, bytes)
        bytes = 0
      }
      if (block.length > JOINED_BYTES) yield block
      else {
        joined.set(block, bytes)
        bytes += block.length
      }
    }
    if (bytes > 0) yield joined.subarray(0, bytes)
  } finally {
    pool.give(joined)
  }
}
