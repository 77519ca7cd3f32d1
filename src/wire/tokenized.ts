import { tokenSpans } from '../tokens/detokenize.js'
import type { Encoding } from '../tokens/encoding.js'
import type { TokenBuffer } from '../tokens/token-buffer.js'

/** Tokens turned to text between two yields: about a millisecond of work. */
const SLICE = 1024

/**
 * The answer of `/v1/tokenize` as JSON text that flows: a text of millions of tokens is never held as objects.
 *
 * `{"input_ids":[15496],"num_tokens":1,"tokens":[{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":0,"end":5}]}`
 */
export async function* tokenizedText(
  encoding: Encoding,
  ids: TokenBuffer,
): AsyncGenerator<Uint8Array, void, void> {
  let separator = '{"input_ids":['
  for (const block of ids.blocks()) {
    yield Buffer.from(separator + block.join(), 'latin1')
    separator = ','
  }
  if (ids.length === 0) yield Buffer.from(separator)
  yield Buffer.from(`],"num_tokens":${ids.length},"tokens":[`)
  let text = ''
  let count = 0
  for (const { id, bytes, text: literal, start, end } of tokenSpans(encoding, ids)) {
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
    const comma = count === 0 ? '' : ','
    text += `${comma}{"id":${id},"bytes":"${base64}","text":${JSON.stringify(literal)},"start":${start},"end":${end}}`
    if (++count % SLICE !== 0) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(`${text}]}`)
}
