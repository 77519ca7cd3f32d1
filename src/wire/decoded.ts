import { PAUSE, type Steps } from '../first-layer/steps.js'
import type { DecodedText } from '../first-layer/tokens/decoded-text.js'
import type { EncodedAnswer } from './formats/format.js'

/**
 * Bytes of the answer of {@link decodedJson}. Of an answer beyond `limit` it counts no more than it must: some number
 * greater than `limit` that is not greater than the answer.
 */
export function* decodedBytes(text: DecodedText, limit: number): Steps<number> {
  let bytes = 0
  for (const part of json(text)) {
    bytes += Buffer.byteLength(part)
    if (bytes > limit) break
    yield PAUSE
  }
  return bytes
}

/**
 * The answer of `/v1/detokenize` for a tokenizer whose tokens have no bytes of their own, in the form of
 * `detokenizedJson`. The text is made part by part.
 *
 * @param size its bytes, by {@link decodedBytes}
 */
export function decodedJson(text: DecodedText, size: number): EncodedAnswer {
  return { size, exact: true, headers: {}, body: blocks(text) }
}

async function* blocks(text: DecodedText): AsyncGenerator<Uint8Array, void, void> {
  for (const part of json(text)) yield Buffer.from(part)
}

function* json({ lossy, parts }: DecodedText): Generator<string, void, void> {
  yield '{"text":"'
  for (const part of parts()) yield JSON.stringify(part).slice(1, -1)
  yield `","lossy":${lossy}}`
}
