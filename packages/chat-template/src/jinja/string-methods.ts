import { failed, unsupported } from '../errors.js'
import { type Method, taking, textArgument } from './arguments.js'
import type { Budget } from './budget.js'
import { Output } from './output.js'
import { text } from './text.js'
import { type CallArguments, items, Tuple, type Value } from './values.js'
import { among, lstrip, rstrip, SPACE, strip } from './white-space.js'

export const STRING_METHODS: Readonly<Record<string, Method<string>>> = {
  strip: taking(1, (self, [characters], budget) => stripped(strip, self, characters, budget)),
  lstrip: taking(1, (self, [characters], budget) => stripped(lstrip, self, characters, budget)),
  rstrip: taking(1, (self, [characters], budget) => stripped(rstrip, self, characters, budget)),
  split: taking(['sep', 'maxsplit'], (self, [sep, most], budget) => split(self, sep, most, budget)),
  rsplit: taking(['sep', 'maxsplit'], (self, [sep, most], budget) => splitRight(self, sep, most, budget)),
  splitlines: taking(1, (self, [keepends], budget) => {
    if (keepends !== undefined) throw unsupported('an argument of `splitlines`')
    return splitLines(self, budget)
  }),
  startswith: taking(3, (self, given, budget) =>
    ends('startswith', given, budget, (part) => self.startsWith(part)),
  ),
  endswith: taking(3, (self, given, budget) =>
    ends('endswith', given, budget, (part) => self.endsWith(part)),
  ),
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
  join: taking(1, (self, [parts = null], budget) =>
    joined(
      items(parts, budget).map((part) => textArgument(part, 'join')),
      self,
      budget,
    ),
  ),
  upper: taking(0, (self, _, budget) => inCase(self, 'upper', budget)),
  lower: taking(0, (self, _, budget) => inCase(self, 'lower', budget)),
  capitalize: taking(0, (self, _, budget) => inCase(self, 'capitalize', budget)),
  format: formatted,
}

/** Nanoseconds of a character that `strip` takes, and of one that it is to take. */
const [STRIP_WEIGHT, SET_WEIGHT] = [10, 50]

/** `str.strip(characters)`, and to one side. */
export function stripped(by: typeof strip, self: string, characters: Value = null, budget: Budget): string {
  const set = characters === null ? undefined : textArgument(characters, 'strip')
  budget.takeText(set?.length ?? 0, SET_WEIGHT)
  if (set !== undefined && /[\ud800-\udfff]/.test(set))
    throw unsupported('`strip` of characters beyond U+FFFF')
  const rest = set === undefined ? by(self) : by(self, among(set))
  budget.takeText(self.length - rest.length, STRIP_WEIGHT)
  return rest
}

function ends(
  name: string,
  [parts, ...places]: readonly (Value | undefined)[],
  budget: Budget,
  has: (part: string) => boolean,
): boolean {
  if (places.length > 0) throw unsupported(`places of \`${name}\``)
  const all = parts instanceof Tuple ? parts.items : [parts]
  return all.some((each) => {
    const part = textArgument(each, name)
    budget.take()
    budget.takeText(part.length)
    return has(part)
  })
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

/** Most parts of a text. */
const MAX_PARTS = 200_000
/** Nanoseconds of a character where a text is cut at white space; bytes of a part. */
const [SPACE_WEIGHT, PART_BYTES] = [8, 48]
const RUNS = new RegExp(`[${SPACE}]+`)
/** Ends of lines for Python beside `\n`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it is about
const OTHER_LINES = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/

/** `str.split(sep, maxsplit)`. */
function split(self: string, sep: Value = null, maxsplit: Value | undefined, budget: Budget): string[] {
  const most = countOf(maxsplit)
  if (sep === null) return most < 0 ? words(self, budget) : wordsWithRest(self, most, budget)
  const by = separatorOf(sep)
  const parts = partsOf(self, by, budget)
  if (most < 0 || parts.length <= most + 1) return parts
  return [...parts.slice(0, most), parts.slice(most).join(by)]
}

/** `str.rsplit(sep, maxsplit)`. */
function splitRight(self: string, sep: Value = null, maxsplit: Value | undefined, budget: Budget): string[] {
  const most = countOf(maxsplit)
  if (most < 0) return split(self, sep, undefined, budget)
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
  budget.takeText(self.length)
  if (OTHER_LINES.test(self)) throw unsupported('lines', 'are rendered where they end with a newline alone')
  const lines = partsOf(self, '\n', budget)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The parts of a text. */
function partsOf(self: string, separator: string | RegExp, budget: Budget): string[] {
  if (typeof separator === 'string') budget.takeSearch(self, separator)
  else budget.takeText(self.length, SPACE_WEIGHT)
  const parts = self.split(separator, MAX_PARTS + 1)
  if (parts.length > MAX_PARTS) throw unsupported('a text', `has more than ${MAX_PARTS} parts`)
  budget.takeItems(parts.length)
  budget.make(2 * self.length + PART_BYTES * parts.length)
  return parts
}

function words(self: string, budget: Budget): string[] {
  const inner = stripped(strip, self, null, budget)
  return inner === '' ? [] : partsOf(inner, RUNS, budget)
}

function wordsWithRest(self: string, most: number, budget: Budget): string[] {
  const found: string[] = []
  let rest = stripped(lstrip, self, null, budget)
  while (found.length < most && rest !== '') {
    budget.take()
    const [word] = rest.split(RUNS, 1)
    budget.takeText(word.length, SPACE_WEIGHT)
    budget.make(2 * word.length + PART_BYTES)
    found.push(word)
    rest = stripped(lstrip, rest.slice(word.length), null, budget)
  }
  return rest === '' ? found : [...found, rest]
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
/** Nanoseconds of a character. */
const [CASE_WEIGHT, TITLE_WEIGHT] = [3, 50]

/** @throws ChatError `template_unsupported` for letters beyond ASCII */
export function inCase(text: string, to: keyof typeof CASES, budget: Budget): string {
  budget.takeText(text.length, to === 'title' ? TITLE_WEIGHT : CASE_WEIGHT)
  if (/[\u0080-\uffff]/.test(text)) throw unsupported(`\`${to}\` of a text`, 'is rendered for ASCII alone')
  return CASES[to](text)
}
