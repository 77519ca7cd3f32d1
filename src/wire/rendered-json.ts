import { type Blocks, PAUSE } from '../first-layer/steps.js'
import type { Documents } from '../first-layer/windows/documents.js'
import type { EncodedAnswer } from './formats/format.js'

/** Ids written at a time: some tenths of a millisecond. */
const SLICE = 4096
/** Bytes that `size` counts for an id that is not written yet, its comma included. */
const ID_BYTES = 7

/** The answer's fields besides the ids. */
export interface RenderedFrame {
  readonly model: string
  /** `cmpl-…`; each document's gets its place behind it where there are several. */
  readonly requestId: string
  /** The name of the ids' field. */
  readonly ids: 'token_ids' | 'input_ids'
  /** Whether the answer is an array, one object for each document. */
  readonly isList: boolean
}

/**
 * The ids of rendered prompts as engines' renderers answer them: `{"request_id":"cmpl-…","model":"llama",
 * "token_ids":[1,2],"features":null}`, of completions an array of these.
 */
export function renderedJson(frame: RenderedFrame, documents: Documents): EncodedAnswer {
  const opening = opener(frame, documents)
  let size = 2
  for (let d = 0; d < documents.count; d++)
    size += opening(d).length + ID_BYTES * documents.length(d) + CLOSING.length
  return { size, exact: false, headers: {}, body: blocks(frame, documents) }
}

const CLOSING = '],"features":null}'

function opener(
  { model, requestId, ids, isList }: RenderedFrame,
  { count }: Documents,
): (d: number) => string {
  return (d) => {
    const id = isList && count > 1 ? `${requestId}-${d}` : requestId
    return `${JSON.stringify({ request_id: id, model }).slice(0, -1)},"${ids}":[`
  }
}

function* blocks(frame: RenderedFrame, documents: Documents): Blocks {
  const opening = opener(frame, documents)
  const numbers = new Int32Array(SLICE)
  for (let d = 0; d < documents.count; d++) {
    const before = d > 0 ? ',' : frame.isList ? '[' : ''
    yield Buffer.from(before + opening(d))
    const length = documents.length(d)
    for (let from = 0; from < length; from += SLICE) {
      const part = numbers.subarray(0, Math.min(SLICE, length - from))
      documents.copyTo(part, 0, d, from, part.length)
      yield Buffer.from(from === 0 ? part.join() : `,${part.join()}`)
      yield PAUSE
    }
    yield Buffer.from(CLOSING)
  }
  if (frame.isList) yield Buffer.from(']')
}
