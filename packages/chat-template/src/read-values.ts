import { ChatError } from './errors.js'
import { Float, type Value } from './jinja/values.js'
import { PAUSE, run, type Steps } from './steps.js'

/** Characters between two pauses: some tenths of a millisecond. */
const PAUSE_CHARACTERS = 1 << 14
/** Deepest nesting, since the reader calls itself: no less than a service lets through, which this package cannot import. */
const MAX_DEPTH = 64

const SPACES = /[ \n\r\t]*/y
/** The end of a string's plain part: its quote, an escape, or a control character, which is an error. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character ends it
const STOP = /["\\\x00-\x1f]/g
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const WORDS: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
])
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
  const reader = new ValueReader(json, field)
  try {
    const value = yield* reader.value(0)
    reader.end()
    return value
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
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

class ValueReader {
  #at = 0
  #paused = 0

  constructor(
    private readonly json: string,
    private field: string,
  ) {}

  *value(depth: number): Steps<Value> {
    if (depth >= MAX_DEPTH) throw this.#invalid(`must be nested at most ${MAX_DEPTH} deep in the body`)
    if (this.#at - this.#paused > PAUSE_CHARACTERS) {
      this.#paused = this.#at
      yield PAUSE
    }
    this.#take(SPACES)
    const first = this.json[this.#at]
    if (first === '[') return yield* this.#list(depth)
    if (first === '{') return yield* this.#object(depth)
    if (first === '"') return this.#string()
    const word = this.#take(WORD)
    if (word !== undefined) return WORDS.get(word)!
    return this.#number()
  }

  end(): void {
    this.#take(SPACES)
    if (this.#at < this.json.length) throw new SyntaxError()
  }

  *#list(depth: number): Steps<Value> {
    const items: Value[] = []
    this.#at++
    if (this.#closes(']')) return items
    do items.push(yield* this.value(depth + 1))
    while (this.#goesOn(']'))
    return items
  }

  *#object(depth: number): Steps<Value> {
    const members = new Map<string, Value>()
    this.#at++
    if (this.#closes('}')) return members
    do {
      this.#take(SPACES)
      const key = this.#string()
      if (depth === 0) this.field = key
      this.#take(SPACES)
      if (this.json[this.#at++] !== ':') throw new SyntaxError()
      members.set(key, yield* this.value(depth + 1))
    } while (this.#goesOn('}'))
    return members
  }

  #closes(close: string): boolean {
    this.#take(SPACES)
    if (this.json[this.#at] !== close) return false
    this.#at++
    return true
  }

  #goesOn(close: string): boolean {
    if (this.#closes(close)) return false
    if (this.json[this.#at++] === ',') return true
    throw new SyntaxError()
  }

  #string(): string {
    const { json } = this
    const start = this.#at
    if (json[start] !== '"') throw new SyntaxError()
    let isEscaped = false
    for (let at = start + 1; ; at += 2) {
      STOP.lastIndex = at
      const stop = STOP.exec(json)
      if (stop === null || stop[0] < ' ') throw new SyntaxError()
      at = stop.index
      this.#at = at + 1
      if (stop[0] === '"') break
      isEscaped = true
    }
    const quoted = json.slice(start, this.#at)
    if (!isEscaped) return quoted.slice(1, -1)
    const text = JSON.parse(quoted) as string
    if (text.isWellFormed()) return text
    throw new ChatError('invalid_unicode', `\`${this.field}\` must not have a lone surrogate.`, this.field)
  }

  #number(): Value {
    NUMBER.lastIndex = this.#at
    const found = NUMBER.exec(this.json)
    if (found === null) throw new SyntaxError()
    this.#at += found[0].length
    const number = Number(found[0])
    if (found[1] !== undefined || found[2] !== undefined) {
      if (Number.isFinite(number)) return new Float(number)
      throw this.#invalid('must have finite numbers')
    }
    if (Number.isSafeInteger(number)) return number === 0 ? 0 : number
    throw this.#invalid('must have integers up to 2^53')
  }

  #invalid(rule: string): ChatError {
    return new ChatError('invalid_request', `\`${this.field}\` ${rule}. Given: more`, this.field)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.json)
    if (found === null) return undefined
    this.#at += found[0].length
    return found[0]
  }
}
