import { readFileSync } from 'node:fs'

/** The regular expressions of `Split` in the tokenizer.json of this year's families. */
export const FAMILY_PATTERNS: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync('test/goldens/tokenizers/family-patterns.json', 'utf8'),
)

/** The `pre_tokenizer` with these expressions. */
export function splitsOf(sources: readonly string[]): object {
  const splits = sources.map((Regex) => ({
    type: 'Split',
    pattern: { Regex },
    behavior: 'Isolated',
    invert: false,
  }))
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
  return { type: 'Sequence', pretokenizers: [...splits, bytes] }
}
