import { failed, unsupported } from '../errors.js'
import { type Method, taking, textArgument } from './arguments.js'
import { type Budget, Output } from './budget.js'
import { text } from './text.js'
import { type CallArguments, items, Tuple, type Value } from './values.js'
import { among, lstrip, rstrip, SPACE, strip } from './white-space.js'

const stripping = (by: typeof strip) =>
  taking<string>(1, (self, [characters], budget) => stripped(by, self, characters, budget))
const casing = (to: keyof typeof CASES) => taking<string>(0, (self, _, budget) => inCase(self, to, budget))
const ending = (name: 'startsWith' | 'endsWith') =>
  taking<string>(3, (self, [parts, ...places], budget) => {
    if (places.length > 0) throw unsupported(`places of \`${name.toLowerCase()}\``)
    return (parts instanceof Tuple ? parts.items : [parts]).some((each) => {
      const part = textArgument(each, name.toLowerCase())
      budget.take()
      budget.takeText(part.length)
      return self[name](part)
    })
  })

export const STRING_METHODS: Readonly<Record<string, Method<string>>> = {
  strip: stripping(strip),
  lstrip: stripping(lstrip),
  rstrip: stripping(rstrip),
  split: taking(['sep', 'maxsplit'], (self, [sep, most], budget) => split(self, sep, countOf(most), budget)),
  rsplit: taking(['sep', 'maxsplit'], (self, [sep, most], budget) =>
    splitRight(self, sep, countOf(most), budget),
  ),
  splitlines: taking(1, (self, [keepends], budget) => {
    if (keepends !== undefined) throw unsupported('an argument of `splitlines`')
    return splitLines(self, budget)
  }),
  startswith: ending('startsWith'),
  endswith: ending('endsWith'),
  replace: taking(3, (self, [old, next, count = -1], budget) =>
    replaced(self, textArgument(old, 'replace'), textArgument(next, 'replace'), count, budget),
  ),
  removeprefix: taking(1, (self, [given]) => {
    const prefix = textArgument(given, 'removeprefix')
    return self.startsWith(prefix) ? self.slice(prefix.length) : self
  }),
  removesuffix: taking(1, (self, [given]) => {
    const suffix = textArgument(given, 'removesuffix')
    return self.endsWith(suffix) ? self.slice(0, self.length - suffix.length) : self
  }),
  join: taking(1, (self, [parts = null], budget) => {
    const texts = items(parts, budget).map((part) => textArgument(part, 'join'))
    return joined(texts, self, budget)
  }),
  upper: casing('upper'),
  lower: casing('lower'),
  capitalize: casing('capitalize'),
  format: formatted,
}

/** Nanoseconds of a character of which a method or a filter makes another one, and of one that `strip` is to take. */
export const [WEIGHT, SET_WEIGHT] = [4, 50]

/** `str.strip(characters)`, and to one side. */
export function stripped(by: typeof strip, self: string, characters: Value = null, budget: Budget): string {
  if (characters === null) return by(self)
  const set = textArgument(characters, 'strip')
  budget.takeText(set.length, SET_WEIGHT)
  if (/[\ud800-\udfff]/.test(set)) throw unsupported('`strip` of characters beyond U+FFFF')
  return by(self, among(set))
}

/** `separator.join(texts)`. */
export function joined(texts: readonly string[], separator: string, budget: Budget): string {
  budget.takeItems(texts.length)
  const characters = texts.reduce((sum, { length }) => sum + length, 0) + separator.length * texts.length
  budget.checkText(characters)
  budget.takeText(characters)
  return texts.join(separator)
}

/** `str.replace`. */
export function replaced(self: string, old: string, next: string, count: Value, budget: Budget): string {
  if (old === '') throw unsupported('`replace` of an empty text')
  if (typeof count !== 'number') throw unsupported('`replace` with a count that is no integer')
  const parts = partsOf(self, old, budget)
  const most = count < 0 ? parts.length : Math.min(count + 1, parts.length)
  return [joined(parts.slice(0, most), next, budget), ...parts.slice(most)].join(old)
}

/** `'{} {1} {name}'.format(…)`, without formats of numbers. */
function formatted(self: string, { positional, keyword }: CallArguments, budget: Budget): string {
  const output = new Output(budget)
  let next = 0
  let isNumbered = false
  let at = 0
  for (const { 0: found, 1: field, index } of self.matchAll(/\{\{|\}\}|\{(\w*)\}|[{}]/g)) {
    budget.take()
    output.write(self.slice(at, index))
    at = index + found.length
    if (found === '{{' || found === '}}') {
      output.write(found[0])
      continue
    }
    if (field === undefined) throw unsupported('`format` with a field that has more than a name')
    const isNumber = /^\d+$/.test(field)
    isNumbered ||= isNumber
    if (isNumbered && (field === '' || next > 0))
      throw unsupported('`format` with fields with and without a number')
    const value =
      field === '' ? positional[next++] : isNumber ? positional[Number(field)] : keyword.get(field)
    if (value === undefined) throw failed('Replacement index out of range for positional args tuple')
    output.write(text(value, budget))
  }
  output.write(self.slice(at))
  return output.toString()
}

/** Most parts of a text, and bytes of one. */
const [MAX_PARTS, PART_BYTES] = [200_000, 48]
const WORD = new RegExp(`[^${SPACE}]+`, 'g')
/** Ends of lines for Python beside `\n`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it is about
const OTHER_LINES = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/

/** `str.split(sep, maxsplit)`. @param most -1: all */
function split(self: string, sep: Value = null, most: number, budget: Budget): string[] {
  if (sep === null) return words(self, most, budget)
  const by = separatorOf(sep)
  const parts = partsOf(self, by, budget)
  if (most < 0 || parts.length <= most + 1) return parts
  return [...parts.slice(0, most), parts.slice(most).join(by)]
}

/** `str.rsplit(sep, maxsplit)`. */
function splitRight(self: string, sep: Value = null, most: number, budget: Budget): string[] {
  if (most < 0) return split(self, sep, most, budget)
  if (sep === null) throw unsupported('`rsplit` at white space, a few times')
  // Only separators that do not overlap themselves are found at the same places from both ends.
  const by = separatorOf(sep)
  if (by.length > 1) throw unsupported('`rsplit` at more than a character, a few times')
  const parts = partsOf(self, by, budget)
  const first = parts.length - most
  return first <= 1 ? parts : [parts.slice(0, first).join(by), ...parts.slice(first)]
}

function separatorOf(sep: Value): string {
  const by = textArgument(sep, 'split')
  if (by === '') throw failed('empty separator')
  return by
}

function countOf(value: Value = -1): number {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'number') throw failed('maxsplit must be an integer')
  return value
}

/** `str.splitlines()`. */
export function splitLines(self: string, budget: Budget): string[] {
  if (OTHER_LINES.test(self)) throw unsupported('lines', 'are rendered where they end with a newline alone')
  const lines = partsOf(self, '\n', budget)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The parts of a text. */
function partsOf(self: string, separator: string, budget: Budget): string[] {
  budget.takeSearch(self, separator)
  return counted(self.split(separator, MAX_PARTS + 1), self, budget)
}

function counted(parts: string[], self: string, budget: Budget): string[] {
  if (parts.length > MAX_PARTS) throw unsupported('a text', `has more than ${MAX_PARTS} parts`)
  budget.takeItems(parts.length)
  budget.make(2 * self.length + PART_BYTES * parts.length)
  return parts
}

/** The words of a text; behind so many of them, the rest. */
function words(self: string, most: number, budget: Budget): string[] {
  budget.takeText(self.length, WEIGHT)
  const found: string[] = []
  let at = 0
  for (const { 0: word, index } of self.matchAll(WORD)) {
    if (found.length === most || found.length > MAX_PARTS) break
    found.push(word)
    at = index + word.length
  }
  const rest = most < 0 ? '' : lstrip(self.slice(at))
  return counted(rest === '' ? found : [...found, rest], self, budget)
}

/** Upper and lower case, of ASCII alone: other letters follow the version of Unicode that a Python has. */
const CASES = {
  upper: (text: string) => text.toUpperCase(),
  lower: (text: string) => text.toLowerCase(),
  capitalize: (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
  /** The filter's way, not that of the method: a word begins behind `-`, white space, `(`, `{`, `[` and `<`. */
  title: (text: string) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: white space of Python's
    text.toLowerCase().replace(/(?:^|[-\t-\r\x1c-\x20({[<])[a-z]/g, (start) => start.toUpperCase()),
}

/** @throws ChatError `template_unsupported` for letters beyond ASCII */
export function inCase(text: string, to: keyof typeof CASES, budget: Budget): string {
  if (to === 'title') budget.takeText(text.length, SET_WEIGHT)
  if (/[\u0080-\uffff]/.test(text)) throw unsupported(`\`${to}\` of a text`, 'is rendered for ASCII alone')
  return CASES[to](text)
}
