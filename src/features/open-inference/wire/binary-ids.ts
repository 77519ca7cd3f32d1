import { Reserved } from '../../../first-layer/memory.js'
import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import { shown } from '../../../service/answer/error-table.js'
import { IdLists, notAnId } from '../../../service/request/body/id-lists.js'
import type { Fault } from '../../../service/request/fields/given-field.js'
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
 * Reads an INT64 or INT32 tensor as one list of ids. One beyond int32 is kept as one that no table has a row for; the
 * first element below 0 is the fault.
 *
 * @param bytes little-endian; they may lie at any address
 */
export function* binaryIds(bytes: Buffer, datatype: string): Steps<IdLists | Fault> {
  const itemBytes = INTEGER_BYTES[datatype]!
  const isWide = itemBytes === 8
  const lists = new IdLists()
  const { ids } = lists.documents
  const room = new Reserved()
  for (let at = 0; at < bytes.length; at += STEP * itemBytes) {
    yield PAUSE
    const part = bytes.subarray(at, at + STEP * itemBytes)
    yield room.reach(ids.byteLength + part.length)
    wordBytes.set(part)
    const count = part.length / itemBytes
    for (let i = 0; i < count; i++) {
      const id = isWide ? words[2 * i + 1]! * UPPER + (words[2 * i]! >>> 0) : words[i]!
      if (id < 0) return { path: [ids.length + i], message: notAnId(id)!, given: shown(id) }
      narrowed[i] = lists.narrowed(id, ids.length + i)
    }
    ids.append(narrowed.subarray(0, count))
  }
  yield -room.settle(ids.byteLength)
  lists.documents.endDocument()
  return lists
}
