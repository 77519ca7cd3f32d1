import type { ErrorCode } from '../errors.js'
import type { Json } from './json.js'

/** The service's answers to the examples; the document shows only these. */
export interface ExampleAnswers {
  /** `operationId/example` → status and body. */
  readonly byExample: ReadonlyMap<string, { readonly status: number; readonly body: Json }>
  /** Error code → the body of an answer with it, from a request that causes it. */
  readonly byCode: ReadonlyMap<ErrorCode, Json>
}
