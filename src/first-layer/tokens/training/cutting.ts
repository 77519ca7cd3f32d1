import { invalidField } from '../../errors.js'
import { expressionOf, parsePattern, Unsupported } from '../byte-pair/pattern-syntax.js'
import { type PatternTable, patternTable } from '../byte-pair/pattern-table.js'

/**
 * How texts are cut into pieces before pairs are merged. Plain data, which can be posted to a thread: the pattern as the
 * kernel runs it, or as JavaScript does where the kernel does not know it.
 */
export type Cutting = ({ readonly table: PatternTable } | { readonly expression: RegExp }) & {
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
    return table ? { table, leavesGaps } : { expression: expressionOf(parsePattern(source)), leavesGaps }
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error
    const rule = 'must be a regular expression of characters, classes, groups, repetitions and lookaheads'
    throw invalidField('pattern', rule, pattern)
  }
}

/** The expression that a name stands for, or the one given. */
export function sourceOf(pattern: string): string {
  if (Object.hasOwn(PATTERNS, pattern)) return PATTERNS[pattern as keyof typeof PATTERNS]
  if (!/^[\p{L}\p{N}_-]*$/u.test(pattern)) return pattern
  const known = Object.keys(PATTERNS).join(', ')
  throw invalidField('pattern', `must be ${known}, or a regular expression`, pattern)
}
