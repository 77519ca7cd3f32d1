import type { Blocks } from '../src/first-layer/tensors/blocks.js'
import { inTurns } from '../src/service/process/turn.js'
import { UNBOUNDED } from './counting-claim.js'

/** A body's blocks as one buffer; each is copied, since the next one may use the same memory. */
export async function collect(body: Blocks): Promise<{ bytes: Buffer; blocks: number[] }> {
  const blocks: Buffer[] = []
  for await (const block of inTurns(body, UNBOUNDED)) blocks.push(Buffer.from(block))
  return { bytes: Buffer.concat(blocks), blocks: blocks.map(({ length }) => length) }
}
