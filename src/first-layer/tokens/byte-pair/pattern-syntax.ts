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
const NEVER = Number.POSITIVE_INFINITY
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, NEVER],
  '+': [1, NEVER],
  '?': [0, 1],
}
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

const not = (set: CodePoints) => difference(EVERY, set)

class Reader {
  #at = 0
  #ignoresCase = false
  /** Groups around this place. */
  #groups = 0

  constructor(private readonly source: string) {}

  whole(): Pattern {
    const pattern = this.#choice()
    if (this.#at < this.source.length) throw new Unsupported()
    return pattern
  }

  /** Takes what a sticky expression finds here. */
  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.source)
    if (found !== null) this.#at += found[0].length
    return found
  }

  #choice(): Pattern {
    const parts = [this.#row()]
    while (this.#take(/\|/y)) parts.push(this.#row())
    return parts.length === 1 ? parts[0] : { type: 'choice', parts }
  }

  #row(): Pattern {
    const parts: Pattern[] = []
    while (this.#at < this.source.length && !/[|)]/.test(this.source[this.#at]))
      parts.push(this.#repeated(this.#atom()))
    return { type: 'row', parts }
  }

  #repeated(part: Pattern): Pattern {
    const given = this.#take(/([*+?])([?+]?)|\{(\d+)(,?)(\d*)\}/y)
    if (given === null) return part
    const [, sign, kind, least, comma, most] = given
    const last = most === '' ? NEVER : Number(most)
    const [min, max] = COUNTS[sign] ?? [Number(least), comma === '' ? Number(least) : last]
    if (part.type === 'ahead' || part.type === 'look' || this.#take(/[*+?{]/y)) throw new Unsupported()
    if (min > max || Math.max(min, max === NEVER ? 1 : max) > MAX_COUNT) throw new Unsupported()
    const repeat: Pattern = { type: 'repeat', part, min, max, isLazy: kind === '?' }
    if (kind !== '+') return repeat
    // What a possessive set leaves is none of the set.
    if (part.type !== 'set') throw new Unsupported()
    const none: Pattern = { type: 'ahead', set: not(part.set), orEnd: true }
    return max === 1 ? { type: 'choice', parts: [part, none] } : { type: 'row', parts: [repeat, none] }
  }

  #atom(): Pattern {
    if (this.#take(/\(\?i:/y)) return this.#ignoringCase()
    const look = this.#take(/\(\?([!=])/y)
    if (look !== null) return this.#look(look[1] === '!')
    if (this.#take(/\(\?:|\((?!\?)/y)) return this.#group()
    if (this.#take(/\$/y)) return { type: 'ahead', set: NEWLINE, orEnd: true }
    if (this.#take(/\\z/y)) return { type: 'ahead', set: [], orEnd: true }
    if (this.#take(/\./y)) return { type: 'set', set: not(NEWLINE) }
    if (this.#take(/\[/y)) return { type: 'set', set: this.#class() }
    return { type: 'set', set: this.#one(/[^\\^*+?{}[\]()|]/suy) }
  }

  #group(): Pattern {
    if (++this.#groups > MAX_GROUPS) throw new Unsupported()
    const pattern = this.#choice()
    this.#groups--
    if (!this.#take(/\)/y)) throw new Unsupported()
    return pattern
  }

  #ignoringCase(): Pattern {
    if (this.#ignoresCase) throw new Unsupported()
    const start = this.#at
    this.#ignoresCase = true
    const pattern = this.#group()
    this.#ignoresCase = false
    const text = this.source.slice(start, this.#at)
    if (JOINED.test(text) || /[^\0-\x7f]|\\|-/.test(text)) throw new Unsupported()
    return pattern
  }

  #look(isNegative: boolean): Pattern {
    const part = this.#group()
    const [only] = part.type === 'row' && part.parts.length === 1 ? part.parts : []
    if (only?.type !== 'set') return { type: 'look', part, isNegative }
    return { type: 'ahead', set: isNegative ? not(only.set) : only.set, orEnd: isNegative }
  }

  /** What an escape stands for, or a character that `plain` finds, with its other case where case is ignored. */
  #one(plain: RegExp): CodePoints {
    const kind = this.#take(/\\([sSdD])|\\([pP])\{(\^?)([^}]*)\}/y)
    if (kind !== null) {
      const [, letter, property, inverse, name] = kind
      const set =
        letter === undefined ? propertyOf(name) : /s/i.test(letter) ? whiteSpace() : propertyOf('Nd')
      if (set === undefined) throw new Unsupported()
      const isNegated = letter === 'S' || letter === 'D' || property === 'P'
      return isNegated !== (inverse === '^') ? not(set) : set
    }
    const control = this.#take(/\\([rntf])/y)?.[1]
    const character = control ?? (this.#take(/\\([!-/:-@[-`{-~ ])/y)?.[1] || this.#take(plain)?.[0])
    if (character === undefined) throw new Unsupported()
    const codePoint = control === undefined ? character.codePointAt(0)! : CONTROLS[control]
    const set = [codePoint, codePoint + 1]
    if (!this.#ignoresCase || !/[a-z]/i.test(character)) return set
    const other = codePoint ^ 0x20
    const both = union(set, [other, other + 1])
    const far = { s: 0x17f, k: 0x212a }[character.toLowerCase()]
    return far === undefined ? both : union(both, [far, far + 1])
  }

  /** The rest of a class behind its `[`. */
  #class(): CodePoints {
    const isNegated = this.#take(/\^/y) !== null
    let set = this.#members()
    while (this.#take(/&&/y)) set = intersection(set, this.#members())
    if (!this.#take(/\]/y)) throw new Unsupported()
    return isNegated ? not(set) : set
  }

  #members(): CodePoints {
    // A dash stands for itself at the beginning or the end.
    let set: CodePoints = this.#take(/-(?!-)/y) ? [0x2d, 0x2e] : this.#member()
    while (!this.#take(/(?=\]|&&)/y)) set = union(set, this.#take(/-(?=\])/y) ? [0x2d, 0x2e] : this.#member())
    return set
  }

  #member(): CodePoints {
    if (this.#take(/\[(?!:)/y)) return this.#class()
    const from = this.#one(/(?!&&)[^\]\\[-]/suy)
    if (!this.#take(/-(?![\][])/y)) return from
    const to = this.#one(/[^\]\\]/suy)
    const isOneEach = [from, to].every((set) => set.length === 2 && set[1] === set[0] + 1)
    if (!isOneEach || to[0] < from[0]) throw new Unsupported()
    return [from[0], to[1]]
  }
}
