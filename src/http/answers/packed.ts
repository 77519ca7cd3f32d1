import type { Transform } from 'node:stream'
import { createDeflate, createGzip } from 'node:zlib'
import type { Claim } from '../../load/claim.js'

/** Bytes of the packer's tables and of its next chunk. */
export const PACKER_BYTES = 393_216
/** The fastest level: rows of floats hardly shrink at any other. */
const OPTIONS = { level: 1, chunkSize: 65_536 }

/** `deflate` is zlib's format, as HTTP defines it. */
const PACKERS: Readonly<Record<'gzip' | 'deflate', () => Transform>> = {
  gzip: () => createGzip(OPTIONS),
  deflate: () => createDeflate(OPTIONS),
}

/**
 * Packs blocks as they come. The next block is asked for when the packer has read the one before, and the packer stops
 * while its output is not read.
 *
 * @param claim of the request; where it is aborted, the packer ends
 */
export async function* packed(
  blocks: AsyncIterable<Uint8Array>,
  coding: 'gzip' | 'deflate',
  claim: Claim,
): AsyncGenerator<Uint8Array, void, void> {
  const packer = PACKERS[coding]()
  const forget = claim.onAbort((error) => packer.destroy(error))
  const fed = feed(blocks, packer)
  try {
    yield* packer
  } finally {
    forget()
    packer.destroy()
    await fed
  }
}

/** Writes the blocks one by one. Where one cannot be made, the packer's reader gets the error. */
async function feed(blocks: AsyncIterable<Uint8Array>, packer: Transform): Promise<void> {
  try {
    for await (const block of blocks) {
      await new Promise<void>((resolve, reject) => {
        packer.once('close', reject) // destroyed while it reads
        packer.write(block, (error) => {
          packer.off('close', reject)
          if (error) reject(error)
          else resolve()
        })
      })
    }
    packer.end()
  } catch (error) {
    packer.destroy(error as Error)
  }
}
