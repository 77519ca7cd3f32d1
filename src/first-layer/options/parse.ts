import { closestMatch } from 'leven'
import { type ZodType, z } from 'zod'
import { type ErrorCode, InletError, quoted, shown } from '../errors.js'

type Issue = z.core.$ZodIssue

interface IssueParams {
  readonly code?: ErrorCode
  readonly complete?: boolean
  /** The value as messages show it, if the input has another value, or none, at the path. */
  readonly given?: string
}

/**
 * Parses `input` by `schema`, or throws an {@link InletError} for the first fault, which names the field, the
 * rule and the value given: "`stride` must be at least 1. Given: -4". Texts that are no Unicode come before
 * all other faults.
 * @param prefix path of the schema's fields in the request: `position_embedding`
 */
export function parse<S extends ZodType>(
  schema: S,
  input: unknown,
  prefix: readonly string[] = [],
): z.output<S> {
  const quick = schema.safeParse(input) // without error messages, which a right input does not need: half the time
  if (quick.success) return quick.data
  const result = schema.safeParse(input, { error: ruleOf, reportInput: false })
  if (result.success) return result.data
  const issue = result.error.issues.find((i) => codeOf(i) === 'invalid_unicode') ?? result.error.issues[0]
  throw issueError(issue, input, prefix)
}

function issueError(issue: Issue, input: unknown, prefix: readonly string[] = []): InletError {
  const path = [...prefix, ...issue.path.map(String)]
  if (issue.code === 'unrecognized_keys') {
    const param = [...path, issue.keys[0]].join('.')
    return new InletError('invalid_request', `${quoted(param)} ${issue.message}`, param)
  }
  const param = path.join('.') || null
  const params = paramsOf(issue)
  const value = params.given ?? shown(valueAt(input, issue.path))
  if (param === null)
    return new InletError('invalid_request', `The request ${issue.message}. Given: ${value}`)
  const given = params.complete ? '' : ` Given: ${value}`
  return new InletError(codeOf(issue), `${quoted(param)} ${issue.message}.${given}`, param)
}

/** Names that other services have for our fields. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...{ input: 'text', inputs: 'text', prompt: 'text', content: 'text', documents: 'text' },
  ...{ token_ids: 'input_ids', tokens: 'input_ids', ids: 'input_ids' },
  ...{ max_length: 'context_length', max_seq_length: 'context_length', block_size: 'context_length' },
  ...{ n_ctx: 'context_length', truncate: 'truncation', tokenizer: 'encoding', labels: 'outputs' },
}
/** Most letters in which an unknown field differs from the one that was meant. */
const NEAR = 2

/** The field that was meant: `texts` → `text`, `max_length` → `context_length`; undefined where none is near. */
function nearestField(given: string, fields: readonly string[]): string | undefined {
  const synonym = Object.hasOwn(SYNONYMS, given) ? SYNONYMS[given] : undefined
  if (synonym !== undefined && fields.includes(synonym)) return synonym
  return closestMatch(given.slice(0, 64), fields, { maxDistance: NEAR })
}

function paramsOf(issue: Issue): IssueParams {
  return issue.code === 'custom' ? ((issue.params ?? {}) as IssueParams) : {}
}

function codeOf(issue: Issue): ErrorCode {
  return paramsOf(issue).code ?? 'invalid_request'
}

/** The value at a path. Where the path leads into a text or a number, that text or number: `"rotary"` at `type`. */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value
    value = Object.hasOwn(value, key) ? (value as Record<PropertyKey, unknown>)[key] : undefined
  }
  return value
}

const EXPECTED: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

/** The thing that zod counts, by `origin`: elements, characters, or the value itself. */
function bounded(bound: string, origin: string): string {
  if (origin === 'array') return `have ${bound} elements`
  return origin === 'string' ? `have ${bound} characters` : `be ${bound}`
}

/** A zod issue as the rule that was broken: "must be at least 1". A schema's own rule comes first. */
function ruleOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is needed'
      if (issue.inst instanceof z.ZodNumberFormat)
        return `must be an integer${Number.isInteger(issue.input) ? ' within ±(2^53 − 1)' : ''}`
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}`
    case 'too_small':
      return `must ${bounded(`${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`, issue.origin)}`
    case 'too_big':
      if (issue.origin === 'int') return 'must be an integer within ±(2^53 − 1)'
      return `must ${bounded(`${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`, issue.origin)}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(shown).join(', ')}`
    case 'unrecognized_keys': {
      const fields = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []
      const meant = nearestField(issue.keys[0], fields)
      return `is not a field of this request.${meant === undefined ? '' : ` Did you mean ${quoted(meant)}?`}`
    }
    case 'invalid_union':
      return 'has none of the accepted forms'
    default:
      return issue.message ?? 'is not valid'
  }
}
