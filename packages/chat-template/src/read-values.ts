import { ChatError, invalid } from './errors.js'
import { Float, type Value } from './jinja/values.js'
import { PAUSE, run, type Steps } from './steps.js'

/** Characters between two pauses: some tenths of a millisecond. */
const PAUSE_CHARACTERS = 1 << 14
/** Deepest nesting, since the reader calls itself: no less than a service lets through, which this package cannot import. */
export const MAX_DEPTH = 64

const SPACES = /[ \n\r\t]*/y
/** The end of a string's plain part: its quote, an escape, or a control character, which is an error. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character ends it
const STOP = /["\\\x00-\x1f]/g
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const WORD = /null|true|false/y

/**
 * Reads JSON as Python's `json.loads` does: `1.0` is a float, `1` an int, and an object keeps the order of its keys. Pauses
 * stand between the elements of the outermost list and of its objects.
 *
 * @param field for messages; in an object, its member
 * @returns undefined for what is no JSON
 * @throws ChatError `invalid_request` beyond `MAX_DEPTH` levels, or for an integer beyond 2^53; `invalid_unicode`
 */
export function* readValues(json: string, field: string): Steps<Value | undefined> {
  let [at, paused] = [0, 0]
  try {
    const value = yield* read(0)
    take(SPACES)
    if (at < json.length) throw new SyntaxError()
    return value
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }

  function* read(depth: number): Steps<Value> {
    if (depth >= MAX_DEPTH)
      throw invalid(field, `must be nested at most ${MAX_DEPTH} deep in the body. Given: more`)
    if (at - paused > PAUSE_CHARACTERS) {
      paused = at
      yield PAUSE
    }
    take(SPACES)
    if (skip('[')) {
      const items: Value[] = []
      while (goesOn(']', items.length)) items.push(yield* read(depth + 1))
      return items
    }
    if (skip('{')) {
      const members = new Map<string, Value>()
      for (let count = 0; goesOn('}', count); count++) {
        const key = string()
        if (depth === 0) field = key
        take(SPACES)
        if (!skip(':')) throw new SyntaxError()
        members.set(key, yield* read(depth + 1))
      }
      return members
    }
    if (json[at] === '"') return string()
    const word = take(WORD)?.[0]
    if (word !== undefined) return word === 'null' ? null : word === 'true'
    const found = take(NUMBER)
    if (found === null) throw new SyntaxError()
    const isFloat = found[1] !== undefined || found[2] !== undefined
    return isFloat ? floatOf(Number(found[0]), field) : intOf(Number(found[0]), field)
  }

  /** Whether another element follows, of which there are so many. */
  function goesOn(close: string, count: number): boolean {
    take(SPACES)
    if (skip(close)) return false
    if (count > 0 && !skip(',')) throw new SyntaxError()
    take(SPACES)
    return true
  }

  function skip(character: string): boolean {
    const isNext = json[at] === character
    if (isNext) at++
    return isNext
  }

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const found = pattern.exec(json)
    if (found !== null) at = pattern.lastIndex
    return found
  }

  function string(): string {
    const start = at
    if (!skip('"')) throw new SyntaxError()
    let isEscaped = false
    for (;;) {
      const stop = take(STOP)?.[0] ?? ''
      if (stop < ' ') throw new SyntaxError()
      if (stop === '"') break
      isEscaped = true
      at++
    }
    const quoted = json.slice(start, at)
    return isEscaped ? wellFormed(JSON.parse(quoted), field) : quoted.slice(1, -1)
  }
}

/**
 * Reads JSON as Python's `json.loads` does: `1.0` is a float and `1` an int, which `JSON.parse` does not tell apart.
 *
 * @throws SyntaxError for what is no JSON; ChatError as {@link readValues}
 */
export function parseJson(json: string): Value {
  const value = run(readValues(json, 'json'))
  if (value === undefined) throw new SyntaxError('no JSON')
  return value
}

/** @throws ChatError `invalid_request` */
export function floatOf(number: number, field: string): Float {
  if (Number.isFinite(number)) return new Float(number)
  throw invalid(field, 'must have finite numbers')
}

/** @throws ChatError `invalid_request` */
export function intOf(number: number, field: string): number {
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number
  throw invalid(field, 'must have integers up to 2^53. Given: more')
}

/** @throws ChatError `invalid_unicode` */
export function wellFormed(text: string, field: string): string {
  if (text.isWellFormed()) return text
  throw new ChatError('invalid_unicode', `\`${field}\` must not have a lone surrogate.`, field)
}
