import { InletError, quoted } from '../../../service/answer/error-table.js'
import { invalid } from './invalid.js'
import type { InferenceOutput } from './request.js'

/** An output that is asked for. */
export interface AskedOutput {
  readonly name: string
  /** Whether its bytes stand behind the JSON. One that is listed without this is JSON. */
  readonly isBinary: boolean
}

/**
 * The outputs that a request lists.
 *
 * @throws InletError `invalid_request` for a parameter that is unknown or wrong, and for an output that is named twice;
 * `not_implemented` for shared memory
 */
export function askedOutputs(outputs: readonly InferenceOutput[]): readonly AskedOutput[] {
  const names = new Set<string>()
  return outputs.map(({ name, parameters = {} }, i) => {
    if (names.has(name)) throw invalid('outputs', 'must not name an output twice', name)
    names.add(name)
    const { binary_data: isBinary = false, ...others } = parameters
    for (const other of Object.keys(others)) throw refused(`outputs.${i}.parameters.${other}`, other)
    if (typeof isBinary === 'boolean') return { name, isBinary }
    throw invalid(`outputs.${i}.parameters.binary_data`, 'must be true or false', isBinary)
  })
}

function refused(field: string, name: string): InletError {
  if (!name.startsWith('shared_memory_')) {
    return new InletError('invalid_request', `${quoted(field)} is not a parameter of an output here.`, field)
  }
  const why = 'this service shares no memory with its callers'
  return new InletError('not_implemented', `${quoted(field)} is not supported: ${why}.`, field)
}
