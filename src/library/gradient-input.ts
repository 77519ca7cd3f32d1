import { InletError, quoted, shown } from '../first-layer/errors.js'
import type { GradientCall, GradientRows } from '../first-layer/learning/gradient-call.js'
import type { EmbeddingGradients, RowGradients } from './learning-api.js'

/**
 * The call of a script's gradients.
 *
 * @throws InletError `invalid_request` for a field that is missing, unknown or of the wrong type
 */
export function readGradients(given: EmbeddingGradients | RowGradients): GradientCall {
  if ('gradients' in given) {
    const { shape, gradients, input_ids, position_ids, position_offset, attention_mask, ...unknown } = given
    checkNoneLeft(unknown)
    const isShape = Array.isArray(shape) && shape.length === 2 && shape.every(isSize)
    if (!isShape) throw invalid('shape', 'must be [B, T], both from 1', shape)
    return {
      shape,
      gradients: rowsOf('gradients', gradients),
      inputIds: integers('input_ids', input_ids),
      positionIds: optional('position_ids', position_ids),
      positionOffset: position_offset,
      attentionMask: optional('attention_mask', attention_mask),
    }
  }
  const { token_gradients, token_ids, position_gradients, position_ids, ...unknown } = given
  checkNoneLeft(unknown)
  return {
    tokens: pairOf('token', token_gradients, token_ids),
    positions: pairOf('position', position_gradients, position_ids),
  }
}

function pairOf(name: string, gradients: Float32Array | undefined, ids: RowGradients['token_ids']) {
  if (gradients === undefined && ids === undefined) return undefined
  return { gradients: rowsOf(`${name}_gradients`, gradients), ids: integers(`${name}_ids`, ids) }
}

function rowsOf(field: string, numbers: unknown): GradientRows {
  if (!(numbers instanceof Float32Array)) throw invalid(field, 'must be a Float32Array', numbers)
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  return { bytes, dtype: 'float32' }
}

function optional(field: string, values: unknown): Int32Array | undefined {
  return values === undefined ? undefined : integers(field, values)
}

function integers(field: string, values: unknown): Int32Array {
  if (values instanceof Int32Array) return values
  if (!Array.isArray(values)) throw invalid(field, 'must be an Int32Array or an array of integers', values)
  const numbers = Int32Array.from(values)
  const wrong = numbers.findIndex((number, i) => number !== values[i])
  if (wrong >= 0) throw invalid(`${field}.${wrong}`, 'must be an integer of 32 bits', values[wrong])
  return numbers
}

const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1

function checkNoneLeft(unknown: object): void {
  const [name] = Object.keys(unknown)
  if (name === undefined) return
  throw new InletError('invalid_request', `${quoted(name)} is not a field of this request.`, name)
}

function invalid(field: string, rule: string, given: unknown): InletError {
  return new InletError('invalid_request', `${quoted(field)} ${rule}. Given: ${shown(given)}`, field)
}
