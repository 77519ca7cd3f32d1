import { ERRORS, type ErrorCode } from '../errors.js'
import { grouped } from './grouped.js'
import { headers } from './headers.js'
import { type JsonObject, ref } from './json.js'
import type { Operation } from './operation.js'

/** Error codes that any request can get. */
const EVERYWHERE: readonly ErrorCode[] = [
  'request_timeout',
  'headers_too_large',
  'internal',
  'overloaded',
  'deadline_exceeded',
]

/** Error code → the headers that its answers have. */
const CODE_HEADERS: Readonly<Partial<Record<ErrorCode, string | readonly string[]>>> = {
  unauthorized: 'WWW-Authenticate',
  loading: 'Retry-After',
  stopping: 'Retry-After',
  overloaded: 'Retry-After',
  model_loading: 'Retry-After',
  dataset_indexing: 'Retry-After',
  range_not_satisfiable: 'Content-Range',
}

/** Error codes of routes that change models, from the check of the admin key. */
const ADMIN_CODES: readonly ErrorCode[] = ['admin_disabled', 'forbidden']

/** All error codes of an operation, in the order of the table of errors. */
export function errorCodes({ errors, open, admin, learn }: Operation): readonly ErrorCode[] {
  const keyCodes: readonly ErrorCode[] = open ? [] : ['unauthorized']
  const rightsCodes =
    admin || learn ? ADMIN_CODES : errors.includes('model_not_found') ? (['forbidden'] as const) : []
  const all = new Set<ErrorCode>([...errors, ...EVERYWHERE, ...keyCodes, ...rightsCodes])
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => all.has(code))
}

/**
 * The error answers of an operation, by status; several codes may share a status. An answer without examples of the
 * operation's own is a component, named by its codes: `loading.overloaded`, below /v2 `v2.loading.overloaded`.
 *
 * @param examples the operation's own examples, by code; other codes have shared examples
 * @param components where the components are put
 */
export function errorResponses(
  operation: Operation,
  examples: ReadonlyMap<string, JsonObject>,
  components: Map<string, JsonObject>,
): JsonObject {
  const byStatus = grouped(errorCodes(operation), (code) => ERRORS[code].status)
  const { isInference } = operation
  const entries = [...byStatus].map(([status, codes]) => {
    const response = errorResponse(codes, isInference, examples)
    if (codes.some((code) => examples.has(code))) return [String(status), response] as const
    const name = [...(isInference ? ['v2'] : []), ...codes].join('.')
    components.set(name, response)
    return [String(status), ref('responses', name)] as const
  })
  return Object.fromEntries(entries)
}

function errorResponse(
  codes: readonly ErrorCode[],
  isInference: boolean | undefined,
  examples: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const shown = isInference ? codes.filter((code) => examples.has(code)) : codes
  const named = shown.map((code) => [code, examples.get(code) ?? ref('examples', code)] as const)
  const schema = ref('schemas', isInference ? 'InferenceError' : 'ErrorAnswer')
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}.`).join('\n\n'),
    headers: headers(...codes.flatMap((code) => CODE_HEADERS[code] ?? [])),
    content: {
      'application/json': named.length > 0 ? { schema, examples: Object.fromEntries(named) } : { schema },
    },
  }
}

/** The table of errors for the description of the document. */
export function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, when }]) => `| ${status} | \`${code}\` | ${when} |`,
  )
  return ['| status | code | when |', '| --- | --- | --- |', ...rows].join('\n')
}
