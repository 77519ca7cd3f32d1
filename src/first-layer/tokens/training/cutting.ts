import { InletError, shown } from '../../errors.js'
import { expressionOf, parsePattern, Unsupported } from '../byte-pair/pattern-syntax.js'
import { type PatternTable, patternTable } from '../byte-pair/pattern-table.js'

/**
 * How texts are cut into pieces before pairs are merged. Plain data, which can be posted to a thread: the pattern as the
 * kernel runs it, or as JavaScript does where the kernel does not know it.
 */
export type Cutting = (
  | {
      readonly table: PatternTable /** Whether it matches wherever it is tried. */
      readonly neverFails: boolean
    }
  | { readonly expression: RegExp }
) & {
  /** Whether text that the pattern does not match is left out; else it is a piece. */
  readonly leavesGaps: boolean
}

const GPT4 = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

/** Patterns by name, as the files of these models have them; `none` cuts nothing. */
export const PATTERNS = {
  gpt2: String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  gpt4: GPT4,
  gpt4o: String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  llama3: GPT4,
  qwen2: GPT4.replace(String.raw`\p{N}{1,3}`, String.raw`\p{N}`),
  none: String.raw`[\s\S]+`,
} as const

/**
 * @param pattern a name of {@link PATTERNS}, or a regular expression as tokenizer.json's `Split` takes it
 * @throws InletError `invalid_request` for an unknown name, and for an expression whose pieces would not be exactly those
 * of the Rust library
 */
export function cuttingOf(pattern: string, leavesGaps: boolean): Cutting {
  const source = sourceOf(pattern)
  try {
    const table = patternTable([source])
    if (table === undefined) return { expression: expressionOf(parsePattern(source)), leavesGaps }
    return { table, neverFails: patternTable([source], false) !== undefined, leavesGaps }
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error
    const message = `\`pattern\` must be a regular expression of characters, classes, groups, repetitions and lookaheads. Given: ${shown(pattern)}`
    throw new InletError('invalid_request', message, 'pattern')
  }
}

/** The expression that a name stands for, or the one given. */
export function sourceOf(pattern: string): string {
  if (Object.hasOwn(PATTERNS, pattern)) return PATTERNS[pattern as keyof typeof PATTERNS]
  if (!/^[\w-]*$/.test(pattern)) return pattern
  const known = Object.keys(PATTERNS).join(', ')
  throw new InletError(
    'invalid_request',
    `\`pattern\` must be ${known}, or a regular expression. Given: ${shown(pattern)}`,
    'pattern',
  )
}

// An entry of a table's transitions (byte-pair/pattern-table.ts).
const MATCH = 1
const END = 2
const STOP = 4
const STATE = ~7

/**
 * For each two characters of ASCII, `first << 7 | second`, 1 if a piece ends between them in every text, and would if the
 * text ended there: at such a place a text can be cut into two whose pieces are those of the whole.
 */
export function safeCuts(cutting: Cutting): Uint8Array {
  const safe = new Uint8Array(128 * 128)
  if (!('table' in cutting) || !cutting.neverFails) return safe
  const { pages, regions, transitions } = cutting.table
  const endClass = regions.length
  const width = 2 ** Math.ceil(Math.log2(endClass + 1))
  const entry = (row: number, kind: number) => transitions[(row >> 2) + kind]!
  for (let first = 0; first < 128; first++) {
    const behind = new Set<number>()
    for (let row = 0; row < transitions.byteLength; row += 4 * width) {
      const next = entry(row, pages[first]!)
      if (!(next & STOP)) behind.add(next & STATE)
    }
    const rows = [...behind].filter((row) => row < transitions.byteLength)
    for (let second = 0; second < 128; second++)
      safe[(first << 7) | second] = Number(
        rows.every((row) => entry(row, pages[second]!) & END && entry(row, endClass) & MATCH),
      )
  }
  return safe
}
