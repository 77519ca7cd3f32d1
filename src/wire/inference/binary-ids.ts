import { shown } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import { Reservation } from '../../load/reservation.js'
import { Pace } from '../../turn.js'
import { IdLists } from '../id-lists.js'
import { INTEGER_BYTES } from './datatypes.js'

/** Elements that are read between two looks at the clock: some hundredths of a millisecond. */
const STEP = 8192
/** 2³²: what the upper half of an INT64 counts. */
const UPPER = 2 ** 32

/** Elements of one step; steps of all requests never overlap. */
const words = new Int32Array(2 * STEP)
const wordBytes = new Uint8Array(words.buffer)
const narrowed = new Int32Array(STEP)

/**
 * Reads an INT64 or INT32 tensor as one list of ids, in short turns: the first element below 0 becomes the list's
 * fault. One beyond int32 is kept as one that no table has a row for.
 *
 * @param bytes little-endian; they may lie at any address
 */
export async function binaryIds(bytes: Buffer, datatype: string, claim: Claim): Promise<IdLists> {
  const itemBytes = INTEGER_BYTES[datatype]!
  const isWide = itemBytes === 8
  const lists = new IdLists()
  const { ids } = lists.documents
  const room = new Reservation(claim)
  const pace = new Pace(claim)
  for (let at = 0; at < bytes.length && lists.fault === undefined; at += STEP * itemBytes) {
    if (pace.isOver) await pace.nextTurn()
    const part = bytes.subarray(at, at + STEP * itemBytes)
    const wait = room.reach(ids.byteLength + part.length)
    if (wait !== undefined) await wait
    wordBytes.set(part)
    const count = part.length / itemBytes
    let i = 0
    for (; i < count; i++) {
      const id = isWide ? words[2 * i + 1]! * UPPER + (words[2 * i]! >>> 0) : words[i]!
      if (id < 0) {
        const place = ids.length + i
        lists.fault = { path: [place], message: 'must be at least 0', given: shown(id) }
        break
      }
      narrowed[i] = lists.narrowed(id, ids.length + i)
    }
    ids.append(narrowed.subarray(0, i))
  }
  room.settle(ids.byteLength)
  lists.documents.endDocument()
  return lists
}
