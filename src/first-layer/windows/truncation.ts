import { PAUSE, type Steps } from '../steps.js'
import { Documents } from './documents.js'

/** Documents are cut to so many tokens. */
export interface TruncationRule {
  /** Most tokens of a document. */
  readonly length: number
  /** Special tokens at a text's end, as `[SEP]`, stay there: the tokens before them are cut. */
  readonly keepsSpecialEnd: boolean
}

/** Documents, or ids of one, between two pauses. */
const STEP_DOCUMENTS = 4096
const STEP_IDS = 65_536

/**
 * Cuts each document to its first tokens, as transformers' `truncation=True, max_length=length`: `[CLS] a b c [SEP]` cut to
 * 3 is `[CLS] a [SEP]` where the special tokens at the end are kept, else `[CLS] a b`. Reserves the ids' memory.
 *
 * @param special ids of special tokens
 */
export function* truncated(
  documents: Documents,
  { length, keepsSpecialEnd }: TruncationRule,
  special: Iterable<number>,
): Steps<Documents> {
  if (documents.longest <= length) return documents
  const kept = new Set(keepsSpecialEnd && documents.totalCharacters > 0 ? special : [])
  yield Int32Array.BYTES_PER_ELEMENT * Math.min(documents.totalTokens, documents.count * length)
  const cut = new Documents()
  for (let d = 0; d < documents.count; d++) {
    const n = documents.length(d)
    const most = Math.min(n, length)
    let end = 0 // tokens that stay at the end
    while (end < most && kept.has(documents.ids.at(documents.start(d) + n - 1 - end))) end++
    for (let at = 0; at < most - end; at += STEP_IDS) {
      cut.ids.append(idsOf(documents, d, at, Math.min(STEP_IDS, most - end - at)))
      if (at > 0) yield PAUSE
    }
    cut.ids.append(idsOf(documents, d, n - end, end))
    cut.endDocument()
    if (d % STEP_DOCUMENTS === STEP_DOCUMENTS - 1) yield PAUSE
  }
  cut.ids.characters = documents.totalCharacters
  return cut
}

function idsOf(documents: Documents, d: number, start: number, count: number): Int32Array {
  const ids = new Int32Array(count)
  documents.copyTo(ids, 0, d, start, count)
  return ids
}
