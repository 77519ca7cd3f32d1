import type { ByteTokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { bytesOfToken } from '../../../src/first-layer/tokens/vocabulary.js'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** The bytes of all ids, one behind the other. */
export function bytesOf(encoding: ByteTokenizer, ids: readonly number[]): Buffer {
  return Buffer.concat(ids.map((id) => bytesOfToken(encoding.vocabulary, id) ?? new Uint8Array()))
}

/** Bytes as text, all at once; what is not UTF-8 comes as U+FFFD and makes it lossy. */
export function textOf(utf8: Uint8Array): { text: string; lossy: boolean } {
  try {
    return { text: strict.decode(utf8), lossy: false }
  } catch {
    return { text: lenient.decode(utf8), lossy: true }
  }
}
