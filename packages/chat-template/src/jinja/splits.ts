import { failed, unsupported } from '../refusals.js'
import type { Budget } from './budget.js'
import type { Value } from './values.js'
import { lstrip, SPACE, strip } from './white-space.js'

interface SplitArguments {
  readonly sep?: Value
  readonly maxsplit?: Value
}

/** More parts of a text than an expression may have. */
const MAX_PARTS = 100_000
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
  if (OTHER_LINES.test(self)) throw unsupported('lines', 'are rendered where they end with a newline alone')
  const lines = partsOf(self, '\n', budget)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The parts of a text, each a step. */
export function partsOf(self: string, separator: string | RegExp, budget: Budget): string[] {
  if (typeof separator === 'string') budget.takeSearch(self, separator)
  else budget.takeText(self.length)
  const parts = self.split(separator, MAX_PARTS)
  budget.take(parts.length)
  return parts
}

function words(self: string, budget: Budget): string[] {
  const stripped = strip(self)
  return stripped === '' ? [] : partsOf(stripped, RUNS, budget)
}

function wordsWithRest(self: string, most: number, budget: Budget): string[] {
  const found: string[] = []
  let rest = lstrip(self)
  while (found.length < most && rest !== '') {
    budget.take()
    const [word] = rest.split(RUNS, 1)
    found.push(word!)
    rest = lstrip(rest.slice(word!.length))
  }
  return rest === '' ? found : [...found, rest]
}

function separator(sep: Value): string {
  if (typeof sep !== 'string') throw failed('must be str or None')
  if (sep === '') throw failed('empty separator')
  return sep
}

function count(value: Value): number {
  if (typeof value !== 'number') throw failed('maxsplit must be an integer')
  return value
}
