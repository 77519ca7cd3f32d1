import { failed, unsupported } from '../refusals.js'
import type { Budget } from './budget.js'
import { Markup, type Value } from './values.js'
import { lstrip, SPACE, strip } from './white-space.js'

interface SplitArguments {
  readonly sep?: Value
  readonly maxsplit?: Value
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
export function split(self: string, { sep = null, maxsplit = -1 }: SplitArguments, budget: Budget): string[] {
  const most = count(maxsplit)
  if (sep === null) return most < 0 ? words(self, budget) : wordsWithRest(self, most, budget)
  const parts = partsOf(self, separator(sep), budget)
  if (most < 0 || parts.length <= most + 1) return parts
  return [...parts.slice(0, most), parts.slice(most).join(sep as string)]
}

/** `str.rsplit(sep, maxsplit)`. */
export function splitRight(
  self: string,
  { sep = null, maxsplit = -1 }: SplitArguments,
  budget: Budget,
): string[] {
  const most = count(maxsplit)
  if (sep === null) {
    if (most < 0) return words(self, budget)
    throw unsupported('`rsplit` at white space, a few times')
  }
  // Only separators that do not overlap themselves are found at the same places from both ends.
  const by = separator(sep)
  if (by.length > 1 && most >= 0) throw unsupported('`rsplit` at more than a character, a few times')
  const parts = partsOf(self, by, budget)
  if (most < 0 || parts.length <= most + 1) return parts
  const first = parts.length - most
  return [parts.slice(0, first).join(by), ...parts.slice(first)]
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
export function partsOf(self: string, separator: string | RegExp, budget: Budget): string[] {
  if (typeof separator === 'string') budget.takeSearch(self, separator)
  else budget.takeText(self.length, SPACE_WEIGHT)
  const parts = self.split(separator, MAX_PARTS + 1)
  if (parts.length > MAX_PARTS) throw unsupported('a text', `has more than ${MAX_PARTS} parts`)
  budget.takeItems(parts.length)
  budget.make(2 * self.length + PART_BYTES * parts.length)
  return parts
}

function words(self: string, budget: Budget): string[] {
  const stripped = strip(self, budget)
  return stripped === '' ? [] : partsOf(stripped, RUNS, budget)
}

function wordsWithRest(self: string, most: number, budget: Budget): string[] {
  const found: string[] = []
  let rest = lstrip(self, budget)
  while (found.length < most && rest !== '') {
    budget.take()
    const [word] = rest.split(RUNS, 1)
    budget.takeText(word!.length, SPACE_WEIGHT)
    budget.make(2 * word!.length + PART_BYTES)
    found.push(word!)
    rest = lstrip(rest.slice(word!.length), budget)
  }
  return rest === '' ? found : [...found, rest]
}

function separator(sep: Value): string {
  if (sep instanceof Markup) throw unsupported('a separator from `safe`')
  if (typeof sep !== 'string') throw failed('must be str or None')
  if (sep === '') throw failed('empty separator')
  return sep
}

function count(value: Value): number {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'number') throw failed('maxsplit must be an integer')
  return value
}
