import { PAUSE, type Steps } from '../first-layer/steps.js'
import type { EncodedAnswer } from './formats/format.js'

/**
 * An answer of texts that are made twice, the first time only to learn their size.
 *
 * @returns undefined for more than `limit` bytes
 */
export function* measured(texts: () => Iterable<string>, limit: number): Steps<EncodedAnswer | undefined> {
  let size = 0
  for (const part of texts()) {
    yield PAUSE
    size += Buffer.byteLength(part)
    if (size > limit) return undefined
  }
  return { size, exact: true, headers: {}, body: blocks(texts()) }
}

async function* blocks(texts: Iterable<string>): AsyncGenerator<Uint8Array, void, void> {
  for (const text of texts) yield Buffer.from(text)
}
