import type { Pace } from '../../turn.js'
import { BACKSLASH } from './characters.js'
import { escapeLength } from './escapes.js'

/** Bytes counted between two looks at the clock. */
const STEP_BYTES = 65_536

/** Counts the UTF-16 units of a JSON string's content, `from` to `to`, in short turns: `a\u00e9🕶` → 4. */
export async function utf16Units(bytes: Buffer, from: number, to: number, pace: Pace): Promise<number> {
  let units = 0
  for (let at = from; at < to; ) {
    if (pace.isOver) await pace.nextTurn()
    const stop = Math.min(at + STEP_BYTES, to)
    while (at < stop) {
      const byte = bytes[at]
      if (byte >= 0xf0) units += 2
      else if ((byte & 0xc0) !== 0x80) units++ // continuation bytes do not count
      at += byte === BACKSLASH ? escapeLength(bytes, at) : 1
    }
  }
  return units
}
