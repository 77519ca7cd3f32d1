import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { InletError, invalidField, quoted } from '../../first-layer/errors.js'
import { flatReader, typedText } from '../../first-layer/options/flat.js'
import { boundedList } from '../../first-layer/options/lists.js'
import { MAX_OUTPUTS } from '../../first-layer/options/names.js'
import { parse } from '../../first-layer/options/parse.js'
import type { LimitVariables } from '../../service/process/config.js'
import { parsedBody, refuseQuery } from '../../service/request/body/json-body.js'
import { rawText, readBody } from '../../service/request/body/read-body.js'
import { checkParameters, type Parameters, type ParameterValue, parametersField } from './fields.js'
import { INPUTS, type InferenceInputs, inferenceInput, readInputs } from './inputs.js'

/** One requested output. `parameters.binary_data`: its bytes follow the JSON. */
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
  inputs: boundedList(inferenceInput, Object.keys(INPUTS).length).describe(
    '`text` or `input_ids`, and what stands beside them.',
  ),
  outputs: boundedList(inferenceOutput, MAX_OUTPUTS)
    .optional()
    .describe('Default: as of /v1/input-embeddings.'),
})

const TIMEOUT_RULE = 'must be microseconds, an integer of at least 0'

/** The protocol's parameters; all others belong to the model. */
const ownParameters = z.object({
  binary_data_output: z.boolean().default(false),
  timeout: z
    .union(
      [z.string().regex(/^\d{1,15}$/, TIMEOUT_RULE), z.int(TIMEOUT_RULE).min(0, TIMEOUT_RULE)],
      TIMEOUT_RULE,
    )
    .transform(Number)
    .default(0),
})

/** Parameters of the protocol that ask for something that this service does not do. */
const REFUSED = /^(sequence_(id|start|end)|priority|headers)$|^triton_/

export type AskedInference = Awaited<ReturnType<typeof inferRequest>>

/**
 * Reads an inference request: JSON, and bytes of tensors behind it where the request's header gives the JSON's length.
 * Where that is 0, the body is one text, of which nothing is read yet, and all outputs are binary.
 *
 * @throws InletError where the header, the body or a field is wrong
 */
export async function inferRequest(request: FastifyRequest, limits: LimitVariables) {
  const jsonBytes = jsonLength(request)
  const { MAX_JSON_BODY_BYTES: limit, MAX_BODY_BYTES, MAX_DOCUMENTS } = limits
  if (jsonBytes === 0) {
    refuseQuery(request)
    const inputs: InferenceInputs = { given: rawText(request, MAX_BODY_BYTES) }
    return { id: undefined, options: {}, timeout: 0, isBinary: true, outputs: undefined, inputs, length: 0 }
  }
  if (jsonBytes !== undefined && jsonBytes > limit) {
    const message = `The JSON of the body must be at most ${limit} bytes. Given: ${jsonBytes}`
    throw new InletError('body_too_large', message)
  }
  const body = await readBody(request, jsonBytes === undefined ? limit : MAX_BODY_BYTES)
  const end = jsonBytes ?? body.length
  if (end > body.length) throw invalidLength(`be at most the body’s length, ${body.length}`, end)
  const fields = await parsedBody(request, body.subarray(0, end), inferenceRequest, limits)
  const { id, parameters = {}, outputs } = fields
  const refused = Object.keys(parameters).find((name) => REFUSED.test(name))
  if (refused !== undefined) {
    const field = `parameters.${refused}`
    throw new InletError('invalid_request', `${quoted(field)} is not supported by this service.`, field)
  }
  const { binary_data_output, timeout, ...options } = parameters
  const own = parse(ownParameters, { binary_data_output, timeout }, ['parameters'])
  return {
    id,
    options: options as Parameters, // of the model, not checked yet
    timeout: own.timeout, // microseconds; 0: as long as any
    isBinary: own.binary_data_output, // outputs that are not listed
    outputs: outputs && askedOutputs(outputs),
    inputs: await readInputs(fields.inputs, body.subarray(end), MAX_DOCUMENTS, request.claim),
    length: body.length,
  }
}

/** The header with the number of a body's bytes that are JSON. */
const JSON_LENGTH = 'inference-header-content-length'
const MAX_INT32 = 0x7fffffff

function jsonLength({ headers }: FastifyRequest): number | undefined {
  const given = headers[JSON_LENGTH]
  if (given === undefined) return undefined
  const length = /^\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN
  if (!(length <= MAX_INT32)) throw invalidLength(`be bytes, from 0 to ${MAX_INT32}`, given)
  const isPacked = headers['content-encoding'] !== undefined
  if (!isPacked && length > Number(headers['content-length'] ?? MAX_INT32))
    throw invalidLength(`be at most the body’s length, ${headers['content-length']}`, given)
  return length
}

function invalidLength(rule: string, given: unknown): InletError {
  const { message } = invalidField('Inference-Header-Content-Length', `must ${rule}`, given)
  return new InletError('invalid_request', message, JSON_LENGTH)
}

/** The names of outputs, and whether their bytes follow the JSON: a listed one without `binary_data` is JSON. */
function askedOutputs(outputs: readonly z.output<typeof inferenceOutput>[]) {
  const names = new Set<string>()
  return outputs.map(({ name, parameters = {} }, i) => {
    if (names.has(name)) throw invalidField('outputs', 'must not name an output twice', name)
    names.add(name)
    checkParameters(parameters, 'binary_data', `outputs.${i}`, 'an output here')
    const { binary_data: isBinary = false } = parameters
    if (typeof isBinary === 'boolean') return { name, isBinary }
    throw invalidField(`outputs.${i}.parameters.binary_data`, 'must be true or false', isBinary)
  })
}

/**
 * The reader of a model's parameters: objects are flattened with dots, and lists have commas between their elements, as
 * in a query string; numbers and booleans are such. `{ "position_embedding.type": "rope", "allowed_special": "" }` →
 * `{ position_embedding: { type: 'rope' }, allowed_special: [] }`. The reader throws InletError `invalid_request` for
 * a parameter that is unknown or wrong.
 */
export function parametersReader<S extends z.ZodObject>(schema: S): (options: Parameters) => z.output<S> {
  const read = flatReader<ParameterValue>(schema, (value, field) =>
    typeof value === 'string' && field?.kind === 'list' ? typedText(value, field) : value,
  )
  return (options) => parse(schema, read(Object.entries(options)), ['parameters'])
}
