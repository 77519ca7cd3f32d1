import type { ErrorCode } from '../errors.js'
import type { Json } from './json.js'

/** What the service answered to the examples: the document shows nothing else. */
export interface ExampleAnswers {
  /** `operationId/example` → status and body. */
  readonly byExample: ReadonlyMap<string, { readonly status: number; readonly body: Json }>
  /** The answer for each code, from a request that brings it about. */
  readonly byCode: ReadonlyMap<ErrorCode, Json>
}
