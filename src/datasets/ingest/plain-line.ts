import {
  BACKSLASH,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_OBJECT,
  PLAIN,
  QUOTE,
} from '../../wire/json/characters.js'
import { MAX_KEYS } from '../../wire/json/json-bounds.js'
import { valueEnd } from '../../wire/json/value-end.js'
import { IDS_FIELD } from './json-line.js'

/** Bytes of the longest line that is read at once. */
const MAX_BYTES = 1 << 16
/** Escapes of two bytes. */
const SHORT_ESCAPES = Buffer.from('"\\/bfnrt')

/**
 * Finds the text of a line in the form that most corpora have, `{"id": 7, "text": "a\n"}`, without an object for the line or
 * its members. What it does not find is no error: `JsonLine` reads every line, and refuses what is wrong.
 */
export class PlainLine {
  readonly #key: Buffer
  /** Place of the text found last, between its quotes. */
  start = 0
  end = 0
  /** Whether it has escapes. */
  hasEscapes = false

  constructor(textField: string) {
    this.#key = Buffer.from(textField)
  }

  /**
   * Whether the line in the bytes `start … end` is one object whose text is a string that is not empty. It is then valid JSON
   * without ids and without a second text.
   */
  find(bytes: Buffer, start: number, end: number): boolean {
    if (end - start > MAX_BYTES) return false
    let at = afterSpace(bytes, start, end)
    if (bytes[at] !== OPEN_OBJECT) return false
    this.end = 0
    for (let members = 0; members < MAX_KEYS; members++) {
      at = this.#member(bytes, afterSpace(bytes, at + 1, end), end)
      if (at < 0) return false
      if (bytes[at] === COMMA) continue
      return bytes[at] === CLOSE_OBJECT && afterSpace(bytes, at + 1, end) === end && this.end > 0
    }
    return false
  }

  /** Reads the member whose key begins at `at`. @returns the place of what follows it; −1: it is of another form */
  #member(bytes: Buffer, at: number, end: number): number {
    if (bytes[at] !== QUOTE) return -1
    const keyEnd = plainEnd(bytes, at + 1)
    if (bytes[keyEnd] !== QUOTE || isKey(bytes, at + 1, keyEnd, IDS_KEY)) return -1
    const colon = afterSpace(bytes, keyEnd + 1, end)
    if (bytes[colon] !== COLON) return -1
    const value = afterSpace(bytes, colon + 1, end)
    const isText = isKey(bytes, at + 1, keyEnd, this.#key)
    const after = isText ? this.#text(bytes, value) : otherEnd(bytes, value)
    return after < 0 || after >= end ? -1 : afterSpace(bytes, after, end)
  }

  #text(bytes: Buffer, quote: number): number {
    if (bytes[quote] !== QUOTE || this.end > 0) return -1
    this.hasEscapes = false
    let at = quote + 1
    for (;;) {
      at = plainEnd(bytes, at)
      if (bytes[at] !== BACKSLASH) break
      if (!SHORT_ESCAPES.includes(bytes[at + 1]!)) return -1
      this.hasEscapes = true
      at += 2
    }
    if (bytes[at] !== QUOTE || at === quote + 1) return -1
    this.start = quote + 1
    this.end = at
    return at + 1
  }
}

const IDS_KEY = Buffer.from(IDS_FIELD)

function isKey(bytes: Buffer, start: number, end: number, key: Buffer): boolean {
  if (end - start !== key.length) return false
  for (let i = 0; i < key.length; i++) if (bytes[start + i] !== key[i]) return false
  return true
}

/** Where the value of another member ends; −1: it is no value. */
function otherEnd(bytes: Buffer, at: number): number {
  if (bytes[at] === QUOTE) {
    const end = plainEnd(bytes, at + 1)
    if (bytes[end] === QUOTE) return end + 1
  }
  try {
    return valueEnd(bytes, at, undefined, 1)
  } catch {
    return -1
  }
}

/** The first byte from `at` on that does not stand for itself in a string: a line's end is one. */
function plainEnd(bytes: Buffer, at: number): number {
  let end = at
  while (PLAIN[bytes[end]!] === 1) end++
  return end
}

function afterSpace(bytes: Buffer, at: number, end: number): number {
  let next = at
  while (next < end && isSpace(bytes[next]!)) next++
  return next
}
