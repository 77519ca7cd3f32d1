import type { FastifyRequest } from 'fastify'
import { drive } from '../../first-layer/work/drive.js'
import { refuseQuery } from '../../service/request/body/json-body.js'
import { rawText } from '../../service/request/body/raw-text.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'
import { inferBody, jsonLength } from './infer-body.js'
import { placedInputs } from './wire/binary-inputs.js'
import { type InferenceInputs, inferenceInputs } from './wire/inputs.js'
import { type AskedOutput, askedOutputs } from './wire/outputs.js'
import { splitParameters } from './wire/parameters.js'
import type { Parameters } from './wire/request.js'

/** An inference request, read. */
export interface AskedInference {
  readonly id?: string | undefined
  /** Parameters of the model, not checked yet. */
  readonly options: Parameters
  /** Microseconds that the request may take. */
  readonly timeout?: number
  /** Absent: those of a request that names none. */
  readonly outputs?: readonly AskedOutput[]
  /** Whether outputs that are not listed are binary. */
  readonly isBinary: boolean
  /** The body's inputs. */
  readonly inputs: InferenceInputs
  /** Bytes of the body that the request holds. */
  readonly length: number
}

/**
 * Reads an inference request: JSON with or without bytes behind it, or, where the header gives the JSON no bytes, one
 * text, of which nothing is read yet; all its outputs are binary.
 *
 * @throws InletError where the header, the body or a field is wrong
 */
export async function inferRequest(request: FastifyRequest, limits: LimitVariables): Promise<AskedInference> {
  const jsonBytes = jsonLength(request)
  if (jsonBytes === 0) {
    refuseQuery(request)
    const given = rawText(request, limits.MAX_BODY_BYTES)
    return { options: {}, isBinary: true, inputs: { given }, length: 0 }
  }
  const { fields, binary, length } = await inferBody(request, jsonBytes, limits)
  const { id, parameters, inputs, outputs } = fields
  return {
    id,
    ...splitParameters(parameters),
    ...(outputs && { outputs: askedOutputs(outputs) }),
    inputs: await drive(request.claim, inferenceInputs(placedInputs(inputs, binary), limits.MAX_DOCUMENTS)),
    length,
  }
}
