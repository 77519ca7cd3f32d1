import { shown } from '../../errors.js'
import { Reserved } from '../../first-layer/reserved.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { IdLists } from '../id-lists.js'
import { INTEGER_BYTES } from './datatypes.js'

/** Elements that are read between two pauses: some hundredths of a millisecond. */
const STEP = 8192
/** 2³²: what the upper half of an INT64 counts. */
const UPPER = 2 ** 32

/** Elements of one step; steps of all requests never overlap. */
const words = new Int32Array(2 * STEP)
const wordBytes = new Uint8Array(words.buffer)
const narrowed = new Int32Array(STEP)

/**
 * Reads an INT64 or INT32 tensor as one list of ids: the first element below 0 becomes the list's
 * fault. One beyond int32 is kept as one that no table has a row for.
 *
 * @param bytes little-endian; they may lie at any address
 */
export function* binaryIds(bytes: Buffer, datatype: string): Steps<IdLists> {
  const itemBytes = INTEGER_BYTES[datatype]!
  const isWide = itemBytes === 8
  const lists = new IdLists()
  const { ids } = lists.documents
  const room = new Reserved()
  for (let at = 0; at < bytes.length && lists.fault === undefined; at += STEP * itemBytes) {
    yield PAUSE
    const part = bytes.subarray(at, at + STEP * itemBytes)
    yield room.reach(ids.byteLength + part.length)
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
  yield -room.settle(ids.byteLength)
  lists.documents.endDocument()
  return lists
}
