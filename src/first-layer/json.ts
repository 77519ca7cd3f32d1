import { InletError, quoted, visible } from './errors.js'
import { MAX_DEPTH } from './options/query.js'
import { isUtf8 } from './tokens/unicode/is-utf8.js'
import { invalidUtf8Offset } from './tokens/unicode/utf8.js'

/** Most arrays, objects and strings of a body: those of four lists of 65,536 documents. */
export const MAX_PARTS = 1 << 18
/** Most keys of all objects of a body. Each new one costs JSON.parse up to two microseconds. */
export const MAX_KEYS = 1 << 15

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
/** `[` and `{`, `]` and `}` differ in this bit. */
const CURLY = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/** The escape of one half of a surrogate pair. Without one, UTF-8 has no lone surrogate. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/

/**
 * The text of JSON, once its bytes are UTF-8 and within bounds that no request needs to pass: JSON.parse and
 * what follows then take a tenth of a second at most.
 * @throws InletError `invalid_unicode` with the byte offset, `invalid_request`
 */
export function jsonText(bytes: Buffer): string {
  if (!isUtf8(bytes)) {
    const message = `The body must be UTF-8: byte ${invalidUtf8Offset(bytes)} is not.`
    throw new InletError('invalid_unicode', message)
  }
  checkBounds(bytes)
  return bytes.toString('utf8')
}

/** @throws InletError `invalid_request` beyond {@link MAX_DEPTH}, {@link MAX_PARTS} or {@link MAX_KEYS} */
export function checkBounds(bytes: Uint8Array): void {
  let [depth, parts, keys] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE || (byte | CURLY) === OPEN) {
      if (++parts > MAX_PARTS) throw outOfBounds(`have at most ${MAX_PARTS} arrays, objects and strings`, at)
      if (byte === QUOTE) at = closingQuote(bytes, at)
      else if (++depth > MAX_DEPTH) throw outOfBounds(`be nested at most ${MAX_DEPTH} deep`, at)
    } else if ((byte | CURLY) === CLOSE) depth--
    else if (byte === COLON && ++keys > MAX_KEYS) throw outOfBounds(`have at most ${MAX_KEYS} keys`, at)
  }
}

/** Where the string that begins at `at` ends; the length of the bytes where nothing closes it. */
function closingQuote(bytes: Uint8Array, at: number): number {
  for (let end = bytes.indexOf(QUOTE, at + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let first = end
    while (bytes[first - 1] === BACKSLASH) first--
    if ((end - first) % 2 === 0) return end // each pair of backslashes is one of the text
  }
  return bytes.length
}

function outOfBounds(rule: string, at: number): InletError {
  return new InletError('invalid_request', `The body must ${rule}. Given: one more at byte ${at}`)
}

/** JSON.parse, or another parser: of a repeated key the last value stays. @throws InletError `invalid_json`, `invalid_request` */
export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof RangeError)
      // the stack: a reviver goes from level to level
      throw new InletError('invalid_request', `The body must be nested at most ${MAX_DEPTH} deep.`)
    const reason = (error as Error).message.replace(/ \(line \d+ column \d+\)$/, '') // newer versions of Node add it
    throw new InletError('invalid_json', `The body must be JSON: ${visible(reason)}.`)
  }
}

/**
 * Refuses a lone surrogate in any text of a value, keys included.
 * @param text that the value was parsed from, if it was
 * @throws InletError `invalid_unicode` with the UTF-16 index
 */
export function checkUnicode(value: unknown, text?: string): void {
  const wrong = text === undefined || SURROGATE_ESCAPE.test(text) ? notUnicode(value) : undefined
  if (wrong !== undefined) throw loneSurrogate(wrong.text, wrong.path.join('.').toWellFormed())
}

/** The first text that has a lone surrogate, be it a key, and its path. */
function notUnicode(value: unknown): { readonly text: string; readonly path: string[] } | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { text: value, path: [] }
  if (typeof value !== 'object' || value === null) return undefined
  for (const key in value) {
    const wrong = notUnicode((value as Readonly<Record<string, unknown>>)[key]) ?? notUnicode(key)
    if (wrong !== undefined) return { text: wrong.text, path: [key, ...wrong.path] }
  }
  return undefined
}

function loneSurrogate(text: string, param: string): InletError {
  const index = text.search(/\p{Surrogate}/u) // of a pair, it matches neither half
  const unit = text.charCodeAt(index).toString(16).toUpperCase()
  const rule = `must be Unicode text: a lone surrogate U+${unit} stands at UTF-16 index ${index}`
  const name = param === '' ? 'The request' : quoted(param)
  return new InletError('invalid_unicode', `${name} ${rule}.`, param || null)
}
