import type { Pattern } from '../byte-pair/kernel-tables.js'
import { isObject, type JsonObject } from './fields.js'

/** The rule that cuts a text into pieces. */
interface PreTokenizer {
  readonly pattern: Pattern
  /** Puts a blank before a text that begins with none. */
  readonly addsBlank: boolean
}

const TAIL = String.raw`\s+(?!\S)|\s+`
const CONTRACTIONS = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
const MODERN_WORDS = String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`
const MODERN_TAIL = String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|${TAIL}`
const GPT2_TAIL = String.raw` ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|${TAIL}`
const CASED = String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`
const UNCASED = String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`
const LEADER = String.raw`[^\r\n\p{L}\p{N}]?`

/** A pattern in a file → the kernel's. */
const PATTERNS: ReadonlyMap<unknown, Pattern> = new Map([
  [`'s|'t|'re|'ve|'m|'ll|'d|${GPT2_TAIL}`, 'gpt2'],
  [`'(?:[sdmt]|ll|ve|re)|${GPT2_TAIL}`, 'gpt2'],
  [`${CONTRACTIONS}|${MODERN_WORDS}|\\p{N}{1,3}|${MODERN_TAIL}`, 'llama3'],
  [
    String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|${TAIL}`,
    'llama3',
  ],
  [`${CONTRACTIONS}|${MODERN_WORDS}|\\p{N}|${MODERN_TAIL}`, 'qwen2'],
  [
    `${LEADER}[${CASED}]*[${UNCASED}]+${CONTRACTIONS}?|${LEADER}[${CASED}]+[${UNCASED}]*${CONTRACTIONS}?|` +
      String.raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|${TAIL}`,
    'o200k',
  ],
])

/** The rule of a `pre_tokenizer`; undefined if the kernel lacks it. */
export function preTokenizerOf(given: unknown): PreTokenizer | undefined {
  const steps = stepsOf(given)
  const last = steps?.at(-1)
  if (steps === undefined || last?.type !== 'ByteLevel') return undefined
  const addsBlank = last.add_prefix_space !== false
  const usesRegex = last.use_regex !== false
  const [first] = steps
  if (steps.length === 1) return usesRegex ? { pattern: 'gpt2', addsBlank } : undefined
  // After a cut, every piece would get a blank.
  if (steps.length !== 2 || addsBlank) return undefined
  if (first?.type === 'Digits')
    return first.individual_digits === true && usesRegex ? { pattern: 'gpt2_digits', addsBlank } : undefined
  const pattern = usesRegex ? undefined : splitPattern(first)
  return pattern && { pattern, addsBlank }
}

function stepsOf(given: unknown): readonly JsonObject[] | undefined {
  if (!isObject(given)) return undefined
  if (given.type !== 'Sequence') return [given]
  const steps = given.pretokenizers
  return Array.isArray(steps) && steps.every(isObject) ? steps : undefined
}

/** The pattern of a Split that keeps every piece: the patterns match all of a text, so that nothing lies between pieces. */
function splitPattern(step: JsonObject | undefined): Pattern | undefined {
  if (step?.type !== 'Split' || !isObject(step.pattern)) return undefined
  const keepsAll =
    (step.behavior === 'Isolated' && step.invert !== true) ||
    (step.behavior === 'Removed' && step.invert === true)
  return keepsAll ? PATTERNS.get(step.pattern.Regex) : undefined
}
