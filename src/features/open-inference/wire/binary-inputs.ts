import { InletError, quoted } from '../../../service/answer/error-table.js'
import { INTEGER_BYTES } from './datatypes.js'
import { invalid } from './invalid.js'
import type { InferenceInput } from './request.js'

const SIZE = 'binary_data_size'

/** Where an input's elements are: in the JSON, or behind it. */
export interface PlacedInput {
  readonly input: InferenceInput
  /** The bytes behind the JSON; absent: `input.data` has the elements. */
  readonly bytes?: Buffer
}

/**
 * Finds each input's elements. Those with `binary_data_size` stand behind the JSON, one after the other, without
 * gaps.
 *
 * @param binary all bytes behind the JSON
 * @throws InletError `invalid_request` where an input has no elements or has them twice, where bytes are missing, and
 * where bytes are left over; `not_implemented` for shared memory
 */
export function placedInputs(inputs: readonly InferenceInput[], binary: Buffer): readonly PlacedInput[] {
  let at = 0
  const placed = inputs.map((input, i) => {
    const size = binarySize(input, `inputs.${i}`)
    if (size === undefined) return { input }
    const missing = at + size - binary.length
    if (missing > 0) {
      const message = `Unexpected size for input ${quoted(input.name)}: expecting ${missing} additional bytes behind the JSON.`
      throw new InletError('invalid_request', message, input.name)
    }
    const bytes = binary.subarray(at, at + size)
    at += size
    return { input, bytes }
  })
  if (at === binary.length) return placed
  const message = `Unexpected additional input data: ${binary.length - at} bytes stand behind those of the inputs.`
  throw new InletError('invalid_request', message)
}

/** An input's `binary_data_size`; undefined where its elements stand in the JSON. */
function binarySize({ datatype, parameters = {}, data }: InferenceInput, path: string): number | undefined {
  for (const name of Object.keys(parameters)) {
    if (name.startsWith('shared_memory_')) {
      const message = `${quoted(`${path}.parameters.${name}`)} is not supported: this service shares no memory with its callers.`
      throw new InletError('not_implemented', message, `${path}.parameters.${name}`)
    }
    if (name !== SIZE) {
      const message = `${quoted(`${path}.parameters.${name}`)} is not a parameter of an input.`
      throw new InletError('invalid_request', message, `${path}.parameters.${name}`)
    }
  }
  const size = parameters[SIZE]
  if (size === undefined) {
    if (data !== undefined) return undefined
    throw invalid(`${path}.data`, `or \`parameters.${SIZE}\` is needed`, undefined)
  }
  if (data !== undefined) throw invalid(`${path}.data`, `must not stand beside \`parameters.${SIZE}\``, size)
  if (typeof size === 'number' && Number.isSafeInteger(size) && size >= 0) return size
  const rule =
    datatype in INTEGER_BYTES ? 'the bytes of the tensor' : 'the bytes of all strings and their lengths'
  throw invalid(`${path}.parameters.${SIZE}`, `must be an integer of at least 0: ${rule}`, size)
}
