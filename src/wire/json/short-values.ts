import { CLOSE_LIST, CLOSE_OBJECT, COMMA, isDigit, PLAIN, QUOTE } from './characters.js'
import { MAX_SHORT_BYTES } from './json-bounds.js'
import type { JsonPlace } from './json-place.js'
import { stringEnd, valueEnd } from './value-end.js'

/** Bytes of the longest word that is kept. */
const WORD_BYTES = 32
/** Digits of the longest number that is read without JSON.parse: all such numbers are exact. */
const FEW_DIGITS = 9
/** Words of earlier bodies, at a place that their bytes tell: names of fields are always the same few. */
const words: string[] = new Array(512).fill('')

function isWord(word: string, bytes: Buffer, start: number, end: number): boolean {
  if (word.length !== end - start) return false
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

/** Reads the short value that begins here. @param depth levels that are open around it */
export function readShort(place: JsonPlace, field: string | undefined, depth: number): unknown {
  return word(place) ?? size(place) ?? parsed(place, valueEnd(place.bytes, place.at, field, depth))
}

/** Reads the short string that begins here, as a key is. @param field of the object, for messages */
export function readString(place: JsonPlace, field: string | undefined): string {
  const { bytes, at } = place
  return word(place) ?? (parsed(place, stringEnd(bytes, at, at + MAX_SHORT_BYTES, field)) as string)
}

/** The string that begins here, where it is one of a few short words; moves behind it. */
function word(place: JsonPlace): string | undefined {
  const { bytes, at } = place
  if (bytes[at] !== QUOTE) return undefined
  let hash = 0
  let end = at + 1
  const limit = end + WORD_BYTES
  const plain = PLAIN // V8 would look the module's variable up for each byte
  for (; end < limit; end++) {
    const byte = bytes[end]
    if (byte === QUOTE) break
    if (byte === undefined || byte >= 0x80 || plain[byte] !== 1) return undefined
    hash = (Math.imul(hash, 31) + byte) | 0
  }
  if (bytes[end] !== QUOTE) return undefined
  const slot = hash & (words.length - 1)
  const word = words[slot]!
  if (!isWord(word, bytes, at + 1, end)) words[slot] = bytes.toString('latin1', at + 1, end)
  place.at = end + 1
  return words[slot]
}

/** The number that begins here, where it is one of few digits and nothing else; moves behind it. */
function size(place: JsonPlace): number | undefined {
  const { bytes, at } = place
  let end = at
  let value = 0
  while (isDigit(bytes[end]) && end < at + FEW_DIGITS) value = value * 10 + bytes[end++] - 0x30
  if (end === at || (bytes[at] === 0x30 && end > at + 1)) return undefined
  const next = bytes[end]
  if (next !== COMMA && next !== CLOSE_OBJECT && next !== CLOSE_LIST) return undefined
  place.at = end
  return value
}

/** The value that stands from here to `end`; moves there. */
function parsed(place: JsonPlace, end: number): unknown {
  const json = place.bytes.toString('utf8', place.at, end)
  place.at = end
  return JSON.parse(json)
}
