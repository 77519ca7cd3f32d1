import { z } from 'zod'
import { InletError, quoted } from '../../first-layer/errors.js'
import { numberList } from '../../first-layer/options/lists.js'
import { InferenceError } from './errors.js'

export type ParameterValue = string | number | boolean
export type Parameters = Readonly<Record<string, ParameterValue>>

/** Most elements of `shape`: more than any input has axes. */
const MAX_AXES = 8

const VALUE_RULE = 'must be a string, a number or a boolean'

export const parametersField = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()], VALUE_RULE), 'must be an object')
  .describe('Texts, numbers and booleans by name.')

const axisRule = (axis: unknown) =>
  Number.isSafeInteger(axis) && (axis as number) >= 0 ? undefined : 'must be an integer of at least 0'

export const shapeField = numberList(MAX_AXES, axisRule, { type: 'integer', minimum: 0 }).describe(
  'Sizes of the axes.',
)

/** Refuses parameters of an input or an output but one. @throws InletError `invalid_request`, `not_implemented` */
export function checkParameters(given: Parameters, known: string, path: string, owner: string): void {
  const other = Object.keys(given).find((name) => name !== known)
  if (other === undefined) return
  const field = `${path}.parameters.${other}`
  if (!other.startsWith('shared_memory_'))
    throw new InletError('invalid_request', `${quoted(field)} is not a parameter of ${owner}.`, field)
  const message = `${quoted(field)} is not supported: this service shares no memory with its callers.`
  throw new InferenceError('not_implemented', message, field)
}
