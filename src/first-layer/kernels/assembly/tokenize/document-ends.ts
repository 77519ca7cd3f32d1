// Where documents lie in the window, and where each ends among the ids: for calls that take many documents.
import { reserve } from '../own-memory'

/** Most documents of one call. */
const DOCUMENTS: usize = 4096
/** No id is appended. */
const NO_ID: i32 = -1

/** Of each document its first byte and the one behind its last (uint32), in bytes of the text. The host writes them. */
export let bounds: usize = 0
/** Of each document that is done where it ends among the ids, as an address until the call ends. */
export let ends: usize = 0
let last: usize = 0
let appended: i32 = NO_ID

export function reserveDocuments(): void {
  bounds = reserve(DOCUMENTS << 3)
  ends = reserve(DOCUMENTS << 2)
}

/** @param id appended to each document; -1: none */
export function beginDocuments(id: i32): void {
  last = ends
  appended = id
}

/** Notes that a document's ids end at `out`; returns where the next one's begin. */
export function endDocument(out: usize): usize {
  let end = out
  if (appended !== NO_ID) {
    store<i32>(end, appended)
    end += 4
  }
  store<u32>(last, <u32>end)
  last += 4
  return end
}
