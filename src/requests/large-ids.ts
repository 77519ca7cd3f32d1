import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import { Pace, type StopSignal } from '../turn.js'

/** Index of the first id that is at least `bound`, or −1. Searches in short turns. */
export async function placeOfAtLeast(ids: TokenBuffer, bound: number, signal: StopSignal): Promise<number> {
  const pace = new Pace(signal)
  let before = 0
  for (const block of ids.blocks()) {
    for (let i = 0; i < block.length; i++) if (block[i] >= bound) return before + i
    before += block.length
    if (pace.isOver) await pace.nextTurn()
  }
  return -1
}
