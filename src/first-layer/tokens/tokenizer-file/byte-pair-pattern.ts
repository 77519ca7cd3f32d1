import { GPT2, type PatternTable, patternTable } from '../byte-pair/pattern-table.js'
import { isObject, type JsonObject } from './fields.js'

/** Cuts nothing: the text is one piece. */
const WHOLE = String.raw`[\s\S]+`

/** The rule that cuts a text into pieces. */
interface PreTokenizer {
  readonly pattern: PatternTable
  /** Puts a blank before a text that begins with none. */
  readonly addsBlank: boolean
}

/** The rule of a `pre_tokenizer`; undefined if the kernel cannot follow it exactly. */
export function preTokenizerOf(given: unknown): PreTokenizer | undefined {
  const steps = stepsOf(given)
  const last = steps?.at(-1)
  if (steps === undefined || last?.type !== 'ByteLevel') return undefined
  const addsBlank = last.add_prefix_space !== false
  // After a cut, every piece would get a blank.
  if (steps.length > 1 && addsBlank) return undefined
  const sources = steps.slice(0, -1).map(patternOf)
  if (last.use_regex !== false) sources.push(GPT2)
  if (steps.length === 1 && sources.length === 0) sources.push(WHOLE)
  if (sources.length === 0 || !sources.every((source) => source !== undefined)) return undefined
  const leavesGaps = steps.some(({ behavior }) => behavior === 'Removed')
  const pattern = leavesGaps && sources.length > 1 ? undefined : patternTable(sources, !leavesGaps)
  return pattern && { pattern, addsBlank }
}

function stepsOf(given: unknown): readonly JsonObject[] | undefined {
  if (!isObject(given)) return undefined
  if (given.type !== 'Sequence') return [given]
  const steps = given.pretokenizers
  return Array.isArray(steps) && steps.every(isObject) ? steps : undefined
}

/** The regular expression of a step that keeps its matches, and what lies between them if its behavior is not `Removed`. */
function patternOf({
  type,
  pattern,
  behavior,
  invert,
  individual_digits: isEach,
}: JsonObject): string | undefined {
  if (type === 'Digits') return isEach === true ? '\\p{N}' : '\\p{N}+'
  if (type !== 'Split' || !isObject(pattern) || typeof pattern.Regex !== 'string') return undefined
  const isKept = invert === true ? behavior === 'Removed' : behavior === 'Isolated'
  return isKept ? pattern.Regex : undefined
}
