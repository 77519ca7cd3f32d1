import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isDigit,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  PLAIN,
  QUOTE,
} from './characters.js'
import { escapedUnit, escapeLength } from './escapes.js'
import { invalidJson } from './invalid-json.js'
import { MAX_DEPTH, MAX_KEYS, MAX_SHORT_BYTES, tooDeep, tooLong, tooManyKeys } from './json-bounds.js'

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word))
/** Marks an open list, in the stack that counts the members of open objects. */
const LIST = -1

/**
 * Where the short value that begins at `from` ends: 13 for `[1, {"a": 2}], …`. The value is valid JSON:
 * JSON.parse takes it.
 *
 * @param field name of the value's field, for messages; undefined: the body itself
 * @param depth levels that are open around the value
 * @throws InletError `invalid_json`; `invalid_request` where the value is too long or too deep, or has too many
 * keys
 */
export function valueEnd(bytes: Buffer, from: number, field: string | undefined, depth: number): number {
  const limit = from + MAX_SHORT_BYTES
  const open: number[] = [] // for each open object its members so far, for each list LIST
  let awaited: 'value' | 'key' | 'next' = 'value'
  let mayClose = false // right behind an opening bracket
  let at = from
  do {
    at = spaceEnd(bytes, at, limit, field)
    const byte = bytes[at]
    const isList = open.at(-1) === LIST
    if ((mayClose || awaited === 'next') && byte === (isList ? CLOSE_LIST : CLOSE_OBJECT)) {
      open.pop()
      awaited = 'next'
      at++
    } else if (awaited === 'next') {
      if (byte !== COMMA) throw invalidJson(bytes, at)
      awaited = isList ? 'value' : 'key'
      at++
    } else if (awaited === 'key') {
      if (++open[open.length - 1] > MAX_KEYS) throw tooManyKeys(field)
      at = keyEnd(bytes, at, limit, field)
      awaited = 'value'
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (depth + open.length >= MAX_DEPTH) throw tooDeep(field)
      open.push(byte === OPEN_LIST ? LIST : 0)
      awaited = byte === OPEN_LIST ? 'value' : 'key'
      mayClose = true
      at++
      continue
    } else {
      at = scalarEnd(bytes, at, limit, field)
      awaited = 'next'
    }
    mayClose = false
    if (at > limit) throw tooLong(field)
  } while (open.length > 0 || awaited !== 'next')
  return at
}

/** Where, after the key that begins at `at` and its colon, the member's value may begin. */
function keyEnd(bytes: Buffer, at: number, limit: number, field: string | undefined): number {
  if (bytes[at] !== QUOTE) throw invalidJson(bytes, at)
  const colon = spaceEnd(bytes, stringEnd(bytes, at, limit, field), limit, field)
  if (bytes[colon] !== COLON) throw invalidJson(bytes, colon)
  return colon + 1
}

/** The first byte from `at` on that is no white space. */
function spaceEnd(bytes: Buffer, at: number, limit: number, field: string | undefined): number {
  let end = at
  while (isSpace(bytes[end])) if (++end > limit) throw tooLong(field)
  return end
}

function scalarEnd(bytes: Buffer, at: number, limit: number, field: string | undefined): number {
  const byte = bytes[at]
  if (byte === QUOTE) return stringEnd(bytes, at, limit, field)
  if (isDigit(byte) || byte === 0x2d) return numberEnd(bytes, at, limit, field)
  for (const word of WORDS) {
    if (byte !== word[0]) continue
    for (let i = 1; i < word.length; i++) if (bytes[at + i] !== word[i]) throw invalidJson(bytes, at + i)
    return at + word.length
  }
  throw invalidJson(bytes, at)
}

/** Where the string ends whose first quote stands at `at`. */
export function stringEnd(bytes: Buffer, at: number, limit: number, field: string | undefined): number {
  let end = at + 1
  for (;;) {
    while (PLAIN[bytes[end]] === 1 && end <= limit) end++
    if (end > limit) throw tooLong(field)
    if (bytes[end] === QUOTE) return end + 1
    if (bytes[end] !== BACKSLASH) throw invalidJson(bytes, end)
    escapedUnit(bytes, end)
    end += escapeLength(bytes, end)
  }
}

/** Where the number ends that begins at `at`: `-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`. */
export function numberEnd(bytes: Buffer, at: number, limit: number, field: string | undefined): number {
  let end = bytes[at] === 0x2d ? at + 1 : at
  end = bytes[end] === 0x30 ? end + 1 : digitsEnd(bytes, end, limit, field)
  if (bytes[end] === 0x2e) end = digitsEnd(bytes, end + 1, limit, field)
  if ((bytes[end] | 0x20) === 0x65) {
    const sign = bytes[end + 1]
    end = digitsEnd(bytes, sign === 0x2b || sign === 0x2d ? end + 2 : end + 1, limit, field)
  }
  return end
}

/** The end of one or more digits. */
function digitsEnd(bytes: Buffer, at: number, limit: number, field: string | undefined): number {
  if (!isDigit(bytes[at])) throw invalidJson(bytes, at)
  let end = at + 1
  while (isDigit(bytes[end])) if (++end > limit) throw tooLong(field)
  return end
}
