import { drivenBlocks, UNBOUNDED } from '../src/first-layer/running/drive.js'
import type { Blocks } from '../src/first-layer/steps.js'

/** A body's blocks as one buffer; each is copied, since the next one may use the same memory. */
export async function collect(
  body: Blocks | AsyncIterable<Uint8Array>,
): Promise<{ bytes: Buffer; blocks: number[] }> {
  const blocks: Buffer[] = []
  for await (const block of drivenBlocks(UNBOUNDED, body)) blocks.push(Buffer.from(block))
  return { bytes: Buffer.concat(blocks), blocks: blocks.map(({ length }) => length) }
}
