import { z } from 'zod'
import { shown } from '../../../service/answer/error-table.js'
import { boundedList } from '../../../service/request/fields/bounded-list.js'
import { MAX_OUTPUTS } from '../../../service/request/fields/names-field.js'

type Context = z.core.$RefinementCtx

/** The inputs that a request can have. */
export const INPUT_NAMES = ['text', 'input_ids', 'attention_mask', 'token_type_ids'] as const
export type InputName = (typeof INPUT_NAMES)[number]

/** Most parameters. */
const MAX_KEYS = 256
/** Most elements of `shape`: more than any input has axes. */
const MAX_AXES = 8

/** A parameter's value. */
export type ParameterValue = string | number | boolean
export type Parameters = Readonly<Record<string, ParameterValue>>

function refuse(context: Context, message: string, path: (string | number)[] = [], given?: unknown): void {
  const params = given === undefined ? {} : { given: shown(given) }
  context.addIssue({ code: 'custom', path, message, params })
}

/** Checked by a loop of our own: one fault is reported, not one for each member of a large object. */
const parametersField = z
  .custom<Parameters>()
  .superRefine((value: unknown, context) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return refuse(context, 'must be an object')
    }
    const entries = Object.entries(value)
    if (entries.length > MAX_KEYS) return refuse(context, `must have at most ${MAX_KEYS} keys`)
    const wrong = entries.find(([, each]) => !['string', 'number', 'boolean'].includes(typeof each))
    if (wrong !== undefined) refuse(context, 'must be a string, a number or a boolean', [wrong[0]], wrong[1])
  })
  .meta({
    type: 'object',
    description: 'Texts, numbers and booleans by name.',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
  })

const shapeField = z
  .custom<readonly number[]>()
  .superRefine((value: unknown, context) => {
    if (!Array.isArray(value)) return refuse(context, 'must be an array')
    if (value.length === 0 || value.length > MAX_AXES) {
      return refuse(context, `must have 1 to ${MAX_AXES} elements`, [], value)
    }
    const wrong = value.findIndex((axis) => !Number.isSafeInteger(axis) || axis < 0)
    if (wrong >= 0) refuse(context, 'must be an integer of at least 0', [wrong], value[wrong])
  })
  .meta({
    type: 'array',
    minItems: 1,
    maxItems: MAX_AXES,
    items: { type: 'integer', minimum: 0 },
    description: 'Sizes of the axes.',
  })

/** One input: its elements stand in `data`, or behind the JSON, `parameters.binary_data_size` bytes of them. */
export const inferenceInput = z.strictObject({
  name: z.enum(INPUT_NAMES).describe('Which input it is.'),
  shape: shapeField,
  datatype: z.enum(['BYTES', 'INT64', 'INT32']).describe('Type of its elements.'),
  parameters: parametersField.optional(),
  data: z.unknown().optional().meta({
    type: 'array',
    items: {},
    description: 'Elements in row-major order, flat or nested as `shape` has it.',
  }),
})

/** One output that is asked for. `parameters.binary_data`: its bytes stand behind the JSON. */
export const inferenceOutput = z.strictObject({
  name: z.string().describe('Name of the tensor.'),
  parameters: parametersField.optional(),
})

/**
 * The body of an inference request. Members that the protocol does not know are passed over: KServe's client sends
 * `model_name`.
 */
export const inferenceRequest = z.looseObject({
  id: z.string().optional().describe('Given back in the answer.'),
  parameters: parametersField.optional(),
  inputs: boundedList(inferenceInput, INPUT_NAMES.length).describe(
    '`text` or `input_ids`, and what stands beside them.',
  ),
  outputs: boundedList(inferenceOutput, MAX_OUTPUTS)
    .optional()
    .describe('Default: as of /v1/input-embeddings.'),
})

export type InferenceInput = z.output<typeof inferenceInput>
export type InferenceOutput = z.output<typeof inferenceOutput>
export type InferenceRequest = z.output<typeof inferenceRequest>
