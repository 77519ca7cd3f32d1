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
const TOKEN = /[ \n\r\t]*([[\]{}:,"]|null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

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

  function* read(depth: number, token = next()): Steps<Value> {
    if (depth >= MAX_DEPTH)
      throw invalid(field, `must be nested at most ${MAX_DEPTH} deep in the body. Given: more`)
    if (at - paused > PAUSE_CHARACTERS) {
      paused = at
      yield PAUSE
    }
    if (token === '[') {
      const items: Value[] = []
      for (let each = next(); each !== ']'; each = next())
        items.push(yield* read(depth + 1, items.length === 0 ? each : behind(',', each)))
      return items
    }
    if (token === '{') {
      const members = new Map<string, Value>()
      for (let each = next(); each !== '}'; each = next()) {
        const quote = members.size === 0 ? each : behind(',', each)
        if (quote !== '"') throw new SyntaxError()
        const key = string()
        if (depth === 0) field = key
        members.set(key, yield* read(depth + 1, behind(':', next())))
      }
      return members
    }
    if (token === '"') return string()
    if (token === 'null') return null
    if (token === 'true' || token === 'false') return token === 'true'
    if (Number.isNaN(Number(token))) throw new SyntaxError()
    return /[.eE]/.test(token) ? floatOf(Number(token), field) : intOf(Number(token), field)
  }

  /** The token behind a comma or a colon. */
  function behind(sign: string, token: string): string {
    if (token !== sign) throw new SyntaxError()
    return next()
  }

  function next(): string {
    const found = take(TOKEN)
    if (found === null) throw new SyntaxError()
    return found[1]
  }

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const found = pattern.exec(json)
    if (found !== null) at = pattern.lastIndex
    return found
  }

  /** The string whose quote was the last token. */
  function string(): string {
    const start = at - 1
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
