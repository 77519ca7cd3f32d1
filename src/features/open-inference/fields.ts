import { z } from 'zod'
import { InletError, quoted } from '../../first-layer/errors.js'
import { InferenceError } from './errors.js'

export type ParameterValue = string | number | boolean
export type Parameters = Readonly<Record<string, ParameterValue>>

const MAX_KEYS = 256
/** Most elements of `shape`: more than any input has axes. */
const MAX_AXES = 8

/** The rule that a value breaks, and the key of the member that breaks it. */
type Broken = readonly [rule: string, key?: string | number] | undefined

/** A field with its own check: one fault is reported, not one for each member of something large. */
function checked<Value>(broken: (value: unknown) => Broken) {
  return z.custom<Value>().superRefine((value: unknown, context) => {
    const [message, ...path] = broken(value) ?? []
    if (message !== undefined) context.addIssue({ code: 'custom', path: path as string[], message })
  })
}

export const parametersField = checked<Parameters>((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ['must be an object']
  const entries = Object.entries(value)
  if (entries.length > MAX_KEYS) return [`must have at most ${MAX_KEYS} keys`]
  const wrong = entries.find(([, each]) => !['string', 'number', 'boolean'].includes(typeof each))
  return wrong && ['must be a string, a number or a boolean', wrong[0]]
}).meta({
  type: 'object',
  description: 'Texts, numbers and booleans by name.',
  additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
})

export const shapeField = checked<readonly number[]>((value) => {
  if (!Array.isArray(value)) return ['must be an array']
  if (value.length === 0 || value.length > MAX_AXES) return [`must have 1 to ${MAX_AXES} elements`]
  const wrong = value.findIndex((axis) => !Number.isSafeInteger(axis) || axis < 0)
  return wrong < 0 ? undefined : ['must be an integer of at least 0', wrong]
}).meta({
  type: 'array',
  minItems: 1,
  maxItems: MAX_AXES,
  items: { type: 'integer', minimum: 0 },
  description: 'Sizes of the axes.',
})

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
