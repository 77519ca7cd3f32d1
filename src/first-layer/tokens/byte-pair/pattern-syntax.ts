import {
  type CodePoints,
  difference,
  EVERY,
  intersection,
  propertyOf,
  union,
  whiteSpace,
} from '../unicode/code-points.js'

/** A pattern as a tree. */
export type Pattern =
  | { readonly type: 'set'; readonly set: CodePoints }
  | { readonly type: 'row' | 'choice'; readonly parts: readonly Pattern[] }
  | {
      readonly type: 'repeat'
      readonly part: Pattern
      readonly min: number
      readonly max: number
      readonly isLazy: boolean
    }
  /** The next character is in the set; with `orEnd` it may also be absent. */
  | { readonly type: 'ahead'; readonly set: CodePoints; readonly orEnd: boolean }
  /** The part follows, or does not. */
  | { readonly type: 'look'; readonly part: Pattern; readonly isNegative: boolean }

/** The pattern has something that cannot be held exactly. */
export class Unsupported extends Error {}

const NEWLINE: CodePoints = [0x0a, 0x0b]
const CONTROLS: Readonly<Record<string, number>> = { r: 0x0d, n: 0x0a, t: 0x09, f: 0x0c }
/** Pairs of letters that Oniguruma's `(?i)` also finds as one character: `ss` is ß. */
const JOINED = /ss|st|ff|fi|fl/i
/** More than any file has. */
const MAX_COUNT = 1000
const MAX_GROUPS = 250

/**
 * Reads a regular expression as Oniguruma does, which the Rust library runs.
 *
 * @throws Unsupported for any part whose meaning is not exactly known here: back references, `\b`, `(?i)` without a group
 */
export function parsePattern(source: string): Pattern {
  return new Reader(source).whole()
}

/** The pattern as JavaScript runs it, its sets as ranges: nothing depends on the Unicode version of the engine. */
export function expressionOf(pattern: Pattern): RegExp {
  return new RegExp(written(pattern), 'gu')
}

function written(pattern: Pattern): string {
  switch (pattern.type) {
    case 'set':
      return writtenSet(pattern.set)
    case 'ahead':
      return `(?=${writtenSet(pattern.set)}${pattern.orEnd ? '|$' : ''})`
    case 'look':
      return `(?${pattern.isNegative ? '!' : '='}${written(pattern.part)})`
    case 'repeat': {
      const { part, min, max, isLazy } = pattern
      const most = max === Number.POSITIVE_INFINITY ? '' : max
      return `(?:${written(part)}){${min},${most}}${isLazy ? '?' : ''}`
    }
    case 'row':
      return pattern.parts.map(written).join('')
    case 'choice':
      return `(?:${pattern.parts.map(written).join('|')})`
  }
}

function writtenSet(set: CodePoints): string {
  const escaped = (codePoint: number) => `\\u{${codePoint.toString(16)}}`
  const ranges = set.flatMap((from, i) =>
    i % 2 === 1 ? [] : `${escaped(from)}-${escaped((set[i + 1] ?? 0x110000) - 1)}`,
  )
  return `[${ranges.join('')}]`
}

class Reader {
  readonly #characters: readonly string[]
  #at = 0
  #ignoresCase = false
  /** Groups around this place. */
  #groups = 0

  constructor(source: string) {
    this.#characters = [...source]
  }

  whole(): Pattern {
    const pattern = this.#choice()
    if (this.#at < this.#characters.length) throw new Unsupported()
    return pattern
  }

  get #next(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(text: string): boolean {
    const isNext = this.#characters.slice(this.#at, this.#at + text.length).join('') === text
    if (isNext) this.#at += text.length
    return isNext
  }

  #choice(): Pattern {
    const parts = [this.#row()]
    while (this.#take('|')) parts.push(this.#row())
    return parts.length === 1 ? parts[0] : { type: 'choice', parts }
  }

  #row(): Pattern {
    const parts: Pattern[] = []
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')')
      parts.push(this.#repeated(this.#atom()))
    return { type: 'row', parts }
  }

  #repeated(part: Pattern): Pattern {
    const [min, max] = this.#counts() ?? []
    if (min === undefined || max === undefined) return part
    const isPlain = this.#characters[this.#at - 1] !== '}'
    if (part.type === 'ahead' || part.type === 'look' || (!isPlain && /[?+]/.test(this.#next ?? '')))
      throw new Unsupported()
    const isLazy = this.#take('?')
    const isPossessive = !isLazy && this.#take('+')
    if (/[*+?{]/.test(this.#next ?? '')) throw new Unsupported()
    const repeat: Pattern = { type: 'repeat', part, min, max, isLazy }
    if (!isPossessive) return repeat
    // What a possessive set leaves is none of the set.
    if (part.type !== 'set') throw new Unsupported()
    const none: Pattern = { type: 'ahead', set: difference(EVERY, part.set), orEnd: true }
    return max === 1 ? { type: 'choice', parts: [part, none] } : { type: 'row', parts: [repeat, none] }
  }

  #counts(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.#take('?')) return [0, 1]
    if (!this.#take('{')) return undefined
    const end = this.#characters.indexOf('}', this.#at)
    const given = /^(\d+)(,(\d*))?$/.exec(this.#characters.slice(this.#at, end).join(''))
    if (end < 0 || given === null) throw new Unsupported()
    this.#at = end + 1
    const min = Number(given[1])
    const max = given[2] === undefined ? min : given[3] === '' ? Number.POSITIVE_INFINITY : Number(given[3])
    if (min > max || Math.max(min, max === Number.POSITIVE_INFINITY ? 1 : max) > MAX_COUNT)
      throw new Unsupported()
    return [min, max]
  }

  #atom(): Pattern {
    if (this.#take('(?i:')) return this.#ignoringCase()
    if (this.#take('(?!')) return this.#look(true)
    if (this.#take('(?=')) return this.#look(false)
    if (this.#take('(?:') || (!this.#lookingAt('(?') && this.#take('('))) return this.#group()
    if (this.#take('$')) return { type: 'ahead', set: NEWLINE, orEnd: true }
    if (this.#take('\\z')) return { type: 'ahead', set: [], orEnd: true }
    if (this.#take('.')) return { type: 'set', set: difference(EVERY, NEWLINE) }
    return { type: 'set', set: this.#set() }
  }

  #lookingAt(text: string): boolean {
    return this.#characters.slice(this.#at, this.#at + text.length).join('') === text
  }

  #group(): Pattern {
    if (++this.#groups > MAX_GROUPS) throw new Unsupported()
    const pattern = this.#choice()
    this.#groups--
    if (!this.#take(')')) throw new Unsupported()
    return pattern
  }

  #ignoringCase(): Pattern {
    if (this.#ignoresCase) throw new Unsupported()
    const start = this.#at
    this.#ignoresCase = true
    const pattern = this.#group()
    this.#ignoresCase = false
    const text = this.#characters.slice(start, this.#at).join('')
    if (JOINED.test(text) || /[^\0-\x7f]|\\|-/.test(text)) throw new Unsupported()
    return pattern
  }

  #look(isNegative: boolean): Pattern {
    const part = this.#group()
    const [only] = part.type === 'row' && part.parts.length === 1 ? part.parts : []
    if (only?.type !== 'set') return { type: 'look', part, isNegative }
    return { type: 'ahead', set: isNegative ? difference(EVERY, only.set) : only.set, orEnd: isNegative }
  }

  /** One character, or a class. */
  #set(): CodePoints {
    if (this.#take('[')) return this.#class()
    if (this.#next === '\\') return this.#escape()
    if (/^[\^*+?{}\])]$/.test(this.#next ?? ')')) throw new Unsupported()
    return this.#one(this.#characters[this.#at++])
  }

  /** A character, with its other case where case is ignored. */
  #one(character: string): CodePoints {
    const codePoint = character.codePointAt(0)!
    const set = [codePoint, codePoint + 1]
    if (!this.#ignoresCase || !/[a-z]/i.test(character)) return set
    const other = codePoint ^ 0x20
    const both = union(set, [other, other + 1])
    const far = { s: 0x17f, k: 0x212a }[character.toLowerCase()]
    return far === undefined ? both : union(both, [far, far + 1])
  }

  #escape(): CodePoints {
    this.#at++
    const letter = this.#characters[this.#at++] ?? ''
    if (letter === 's') return whiteSpace()
    if (letter === 'S') return difference(EVERY, whiteSpace())
    if (letter === 'd') return propertyOf('Nd')!
    if (letter === 'D') return difference(EVERY, propertyOf('Nd')!)
    if (letter === 'p' || letter === 'P') return this.#property(letter === 'P')
    const codePoint = CONTROLS[letter]
    if (codePoint !== undefined) return [codePoint, codePoint + 1]
    if (!/[!-/:-@[-`{-~ ]/.test(letter)) throw new Unsupported()
    return this.#one(letter)
  }

  #property(isNegated: boolean): CodePoints {
    const end = this.#characters.indexOf('}', this.#at)
    if (!this.#take('{') || end < 0) throw new Unsupported()
    const isInverse = this.#take('^')
    const set = propertyOf(this.#characters.slice(this.#at, end).join(''))
    if (set === undefined) throw new Unsupported()
    this.#at = end + 1
    return isNegated !== isInverse ? difference(EVERY, set) : set
  }

  /** The rest of a class behind its `[`. */
  #class(): CodePoints {
    const isNegated = this.#take('^')
    let set = this.#members()
    while (this.#take('&&')) set = intersection(set, this.#members())
    if (!this.#take(']')) throw new Unsupported()
    return isNegated ? difference(EVERY, set) : set
  }

  #members(): CodePoints {
    let set: CodePoints = []
    let isFirst = true
    while (this.#next !== undefined && this.#next !== ']' && !this.#lookingAt('&&')) {
      set = union(set, this.#member(isFirst))
      isFirst = false
    }
    if (isFirst) throw new Unsupported()
    return set
  }

  #member(isFirst: boolean): CodePoints {
    if (this.#take('[')) {
      if (this.#next === ':') throw new Unsupported()
      return this.#class()
    }
    const isLoneDash = this.#next === '-'
    const behind = this.#characters[this.#at + 1]
    if (isLoneDash && (behind === '-' || (!isFirst && behind !== ']'))) throw new Unsupported()
    const from = this.#next === '\\' ? this.#escape() : this.#one(this.#characters[this.#at++])
    if (isLoneDash || this.#characters[this.#at + 1] === ']' || !this.#take('-')) return from
    if (this.#lookingAt('[') || this.#next === undefined) throw new Unsupported()
    const to = this.#lookingAt('\\') ? this.#escape() : this.#one(this.#characters[this.#at++])
    const isOneEach = [from, to].every((set) => set.length === 2 && set[1] === set[0] + 1)
    if (!isOneEach || to[0] < from[0]) throw new Unsupported()
    return [from[0], to[1]]
  }
}
