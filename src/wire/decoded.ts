import type { Tokenizer } from '../tokens/tokenizer.js'
import { Pace, type StopSignal } from '../turn.js'
import type { EncodedAnswer } from './formats/format.js'

/** UTF-16 units of a text escaped at a time. */
const SLICE = 1 << 14
const REPLACEMENT = '\ufffd'

/**
 * The answer of `/v1/detokenize` for a tokenizer whose tokens have no bytes of their own, in the form of
 * `detokenizedJson`: `lossy` where bytes that are not UTF-8 came as U+FFFD.
 *
 * @param ids all have a `tokenText`
 */
export async function decodedJson(
  tokenizer: Tokenizer,
  ids: Int32Array,
  signal?: StopSignal,
): Promise<EncodedAnswer> {
  if (tokenizer.decode === undefined)
    throw new RangeError('a tokenizer without bytes of its tokens must decode')
  const text = await tokenizer.decode(ids, signal)
  const pace = new Pace(signal)
  let size = 0
  for (const part of parts(text)) {
    if (pace.isOver) await pace.nextTurn()
    size += Buffer.byteLength(part)
  }
  return { size, exact: true, headers: {}, body: blocks(text) }
}

async function* blocks(text: string): AsyncGenerator<Uint8Array, void, void> {
  for (const part of parts(text)) yield Buffer.from(part)
}

function* parts(text: string): Generator<string, void, void> {
  yield '{"text":"'
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start)
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
    start = end
  }
  yield `","lossy":${text.includes(REPLACEMENT)}}`
}

/** About SLICE units on from `start`, never between the two halves of a surrogate pair. */
function sliceEnd(text: string, start: number): number {
  const end = start + SLICE
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : Math.min(end, text.length)
}
