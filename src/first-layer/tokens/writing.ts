import { bytesOfWritten } from './byte-pair/merge-order.js'
import { isObject } from './tokenizer-file/fields.js'
import { isUtf8 } from './unicode/is-utf8.js'

/** How a file writes its tokens: `æĹ¥` in the byte alphabet, or `▁the` and `<0xE6>` with visible blanks. */
export type Writing = 'bytes' | 'blanks'

const BLANK = '▁'
const BYTE = /^<0x([0-9A-F]{2})>$/

/** The writing that a `decoder` of tokenizer.json reads; undefined: tokens are written as they are. */
export function writingOf(decoder: unknown): Writing | undefined {
  if (!isObject(decoder)) return undefined
  const { type, decoders, pattern } = decoder
  if (Array.isArray(decoders)) return decoders.map(writingOf).find((each) => each !== undefined)
  if (type === 'ByteLevel') return 'bytes'
  const isBlank = type === 'Replace' && isObject(pattern) && pattern.String === BLANK
  return type === 'Metaspace' || type === 'ByteFallback' || isBlank ? 'blanks' : undefined
}

/** The text of a token: `æĹ¥` → `日`, `▁the` → ` the`; null where its bytes are not whole UTF-8. */
export function writtenText(token: string, writing: Writing | undefined): string | null {
  if (writing === undefined) return token
  const byte = writing === 'blanks' ? BYTE.exec(token)?.[1] : undefined
  if (writing === 'blanks' && byte === undefined) return token.replaceAll(BLANK, ' ')
  const bytes = byte === undefined ? bytesOfWritten(token) : Uint8Array.of(Number.parseInt(byte, 16))
  if (bytes === undefined) return token
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : null
}
