import { InletError } from '../errors.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import type { Claim } from '../load/claim.js'
import { Pace, type StopSignal } from '../turn.js'
import type { GivenIds } from '../wire/given.js'

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

/**
 * The documents of ids that a table has rows for, exactly as given.
 *
 * @param bound how messages name the number of rows
 * @throws InletError `token_out_of_range` naming the id, its place and the number of rows
 */
export async function idsBelow(
  ids: GivenIds,
  rows: number,
  bound: string,
  field: string,
  claim: Claim,
): Promise<GivenIds['documents']> {
  const place = await placeOfAtLeast(ids.documents.ids, rows, claim)
  if (place < 0) return ids.documents
  const param = `${field}.${ids.pathOf(place)}`
  const message = `\`${param}\` must be below ${bound} ${rows}. Given: ${ids.at(place)}`
  throw new InletError('token_out_of_range', message, param)
}
