import type { z } from 'zod'
import { InletError, quoted } from '../../../service/answer/error-table.js'
import { flatReader, typedText } from '../../../service/request/body/query.js'
import { parse } from '../../../service/request/fields/issue.js'
import { invalid } from './invalid.js'
import type { Parameters, ParameterValue } from './request.js'

const ROOT = 'parameters'

/** Parameters of the protocol that ask for something that this service does not do. */
const REFUSED = ['sequence_id', 'sequence_start', 'sequence_end', 'priority', 'headers']

/** A request's parameters: the protocol's own, and those of the model. */
export interface SplitParameters {
  /** Whether outputs without a form of their own are binary. */
  readonly isBinary: boolean
  /** Microseconds that the request may take; absent: as long as any. */
  readonly timeout?: number
  readonly options: Parameters
}

/** @throws InletError `invalid_request` for a parameter of the protocol that is wrong or not supported */
export function splitParameters(parameters: Parameters = {}): SplitParameters {
  const { binary_data_output: isBinary = false, timeout = 0, ...options } = parameters
  for (const name of Object.keys(options)) {
    if (!REFUSED.includes(name) && !name.startsWith('triton_')) continue
    const field = `${ROOT}.${name}`
    throw new InletError('invalid_request', `${quoted(field)} is not supported by this service.`, field)
  }
  if (typeof isBinary !== 'boolean') {
    throw invalid(`${ROOT}.binary_data_output`, 'must be true or false', isBinary)
  }
  const microseconds = typeof timeout === 'string' && /^\d{1,15}$/.test(timeout) ? Number(timeout) : timeout
  if (typeof microseconds !== 'number' || !Number.isSafeInteger(microseconds) || microseconds < 0) {
    throw invalid(`${ROOT}.timeout`, 'must be microseconds, an integer of at least 0', timeout)
  }
  return { isBinary, options, ...(microseconds > 0 && { timeout: microseconds }) }
}

/**
 * The reader of parameters for a schema: objects are flattened with dots, and lists have commas between their elements,
 * as in a query string; numbers and booleans are such. `{ "position_embedding.type": "rope", "allowed_special": "" }` →
 * `{ position_embedding: { type: 'rope' }, allowed_special: [] }`. The reader throws InletError `invalid_request` for
 * a parameter that is unknown or wrong.
 */
export function parametersReader<S extends z.ZodObject>(schema: S): (options: Parameters) => z.output<S> {
  const read = flatReader<ParameterValue>(schema, (value, field) =>
    typeof value === 'string' && field?.kind === 'list' ? typedText(value, field) : value,
  )
  return (options) => parse(schema, read(Object.entries(options)), [ROOT])
}
