import { BlockPool } from './block-pool.js'

const JOINED_BYTES = 1 << 16
const pool = new BlockPool(JOINED_BYTES, 16)

/** The same bytes with few small blocks: those that fit are gathered in one of 64 KiB, since each block is a write. */
export async function* joinedBlocks(
  blocks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const joined = pool.take()
  let bytes = 0
  try {
    for await (const block of blocks) {
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
