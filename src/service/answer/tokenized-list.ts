import { PAUSE, type Steps } from '../../first-layer/steps.js'
import type { TextDocuments } from '../../first-layer/windows/documents.js'
import type { EncodedAnswer } from './formats/json.js'

/** Most texts whose JSON is made between two pauses. */
const SLICE = 256

/**
 * The end of an answer of `/v1/tokenize`, behind its other fields: for a list of texts where each one's ids begin, some
 * texts at a time. `}`, or `,"documents":[{"start":0,"num_tokens":4,"num_characters":13}]}`
 *
 * @param list absent for a single text
 */
export function* answerEnd(list?: TextDocuments): Generator<string, void, void> {
  if (list === undefined) return yield '}'
  yield ',"documents":['
  for (let d = 0; d < list.count; ) {
    let items = ''
    for (const last = Math.min(d + SLICE, list.count); d < last; d++) {
      const comma = d === 0 ? '' : ','
      const counts = `"num_tokens":${list.length(d)},"num_characters":${list.characters(d)}`
      items += `${comma}{"start":${list.start(d)},${counts}}`
    }
    yield items
  }
  yield ']}'
}

/** Bytes of {@link answerEnd}. */
export function* answerEndBytes(list?: TextDocuments): Steps<number> {
  let bytes = 0
  for (const part of answerEnd(list)) {
    yield PAUSE
    bytes += part.length
  }
  return bytes
}

/** The answer of `/v1/tokenize` to a list of texts under `count_only`. */
export function* listCounts(list: TextDocuments): Steps<EncodedAnswer> {
  const counts = `{"num_tokens":${list.totalTokens},"num_characters":${list.totalCharacters}`
  const size = counts.length + (yield* answerEndBytes(list))
  return { size, exact: true, headers: {}, body: blocks(counts, list) }
}

function* blocks(counts: string, list: TextDocuments): Generator<Uint8Array, void, void> {
  yield Buffer.from(counts)
  for (const part of answerEnd(list)) yield Buffer.from(part)
}
