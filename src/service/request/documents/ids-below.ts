import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import type { TokenBuffer } from '../../../first-layer/tokens/token-buffer.js'
import type { Documents } from '../../../first-layer/windows/documents.js'
import { InletError } from '../../answer/error-table.js'
import type { IdLists } from '../body/id-lists.js'

/** Index of the first id that is at least `bound`, or −1. */
export function* placeOfAtLeast(ids: TokenBuffer, bound: number): Steps<number> {
  let before = 0
  for (const block of ids.blocks()) {
    for (let i = 0; i < block.length; i++) if (block[i] >= bound) return before + i
    before += block.length
    yield PAUSE
  }
  return -1
}

/**
 * The documents of ids that a table has rows for, exactly as given.
 *
 * @param bound how messages name the number of rows
 * @throws InletError `token_out_of_range` naming the id, its place and the number of rows
 */
export function* idsBelow(ids: IdLists, rows: number, bound: string, field: string): Steps<Documents> {
  const place = yield* placeOfAtLeast(ids.documents.ids, rows)
  if (place < 0) return ids.documents
  const param = `${field}.${ids.pathOf(place)}`
  const message = `\`${param}\` must be below ${bound} ${rows}. Given: ${ids.at(place)}`
  throw new InletError('token_out_of_range', message, param)
}
