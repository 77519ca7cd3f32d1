import { type Blocks, PAUSE, type Steps } from '../../../first-layer/steps.js'
import { byteLength, elementCount, type NamedTensor } from '../../../first-layer/tensors/named-tensor.js'
import type { EncodedAnswer } from '../../../service/answer/formats/json.js'
import { nestedArrayText } from '../../../service/answer/number-text.js'
import { DATATYPES } from './datatypes.js'

/** Bytes that a size counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14
const ID_BYTES = 7

/** A tensor of an answer, and whether its bytes stand behind the JSON. */
export interface InferenceOutputTensor {
  readonly tensor: NamedTensor
  readonly isBinary: boolean
}

/** An answer's fields besides its tensors. */
export interface InferenceFrame {
  readonly model: string
  readonly modelVersion: string
  readonly id?: string | undefined
  readonly parameters: Readonly<Record<string, string | number>>
}

/** An encoded answer, and the bytes of its JSON, exact or an estimate as its size is. */
export interface EncodedInference extends EncodedAnswer {
  readonly jsonBytes: number
}

/**
 * The answer of an inference: JSON, then the bytes of the binary outputs in their order. Elements in the JSON are flat.
 *
 * The JSON's length must be known before its first byte is sent, where bytes follow it. So its numbers are written
 * twice then: once to count them, once to send them; an answer never lies in memory as a whole.
 */
export function* inferenceAnswer(
  outputs: readonly InferenceOutputTensor[],
  frame: InferenceFrame,
): Steps<EncodedInference> {
  const start = opening(frame)
  const binary = outputs.filter(({ isBinary }) => isBinary).map(({ tensor }) => tensor)
  const binaryBytes = binary.reduce((sum, tensor) => sum + byteLength(tensor), 0)
  const exact = binary.length > 0
  const hasNumbers = binary.length < outputs.length
  const jsonBytes = exact && hasNumbers ? yield* countedBytes(outputs, start) : estimatedBytes(outputs, start)
  return {
    size: jsonBytes + binaryBytes,
    jsonBytes,
    exact: exact || !hasNumbers,
    headers: binaryBytes > 0 ? { 'inference-header-content-length': String(jsonBytes) } : {},
    body: body(outputs, start, binary),
  }
}

/** The greatest size that the JSON can have, before any of it is made. */
export function estimatedJsonBytes(outputs: readonly InferenceOutputTensor[], frame: InferenceFrame): number {
  return estimatedBytes(outputs, opening(frame))
}

function opening({ model, modelVersion, id, parameters }: InferenceFrame): string {
  const head = JSON.stringify({ model_name: model, model_version: modelVersion, id, parameters })
  return `${head.slice(0, -1)},"outputs":[`
}

const CLOSING = ']}'

/** Everything of a tensor up to its elements, or up to its end where they stand behind the JSON. */
function tensorOpening({ tensor, isBinary }: InferenceOutputTensor, index: number): string {
  const { name, dtype, shape } = tensor
  const comma = index === 0 ? '' : ','
  const said = `${comma}{"name":${JSON.stringify(name)},"datatype":"${DATATYPES[dtype]}","shape":${JSON.stringify(shape)}`
  return isBinary ? `${said},"parameters":{"binary_data_size":${byteLength(tensor)}}}` : `${said},"data":`
}

function* jsonText(outputs: readonly InferenceOutputTensor[], start: string): Blocks {
  let pending = start
  for (const [index, output] of outputs.entries()) {
    pending += tensorOpening(output, index)
    if (output.isBinary) continue
    yield* nestedArrayText(flat(output.tensor), pending)
    pending = '}'
  }
  yield Buffer.from(pending + CLOSING)
}

function flat(tensor: NamedTensor): NamedTensor {
  const { name, dtype, shape } = tensor
  return { name, dtype, shape: [elementCount(shape)], blocks: () => tensor.blocks() }
}

function* body(
  outputs: readonly InferenceOutputTensor[],
  start: string,
  binary: readonly NamedTensor[],
): Blocks {
  yield* jsonText(outputs, start)
  for (const tensor of binary) yield* tensor.blocks()
}

function* countedBytes(outputs: readonly InferenceOutputTensor[], start: string): Steps<number> {
  let bytes = 0
  for (const text of jsonText(outputs, start)) {
    if (text instanceof Uint8Array) bytes += text.byteLength
    yield text instanceof Uint8Array ? PAUSE : text
  }
  return bytes
}

/** Exact where all outputs are binary. */
function estimatedBytes(outputs: readonly InferenceOutputTensor[], start: string): number {
  const sizes = outputs.map((output, index) => {
    const { dtype, shape } = output.tensor
    const before = Buffer.byteLength(tensorOpening(output, index))
    if (output.isBinary) return before
    return before + elementCount(shape) * (dtype.startsWith('int') ? ID_BYTES : FLOAT_BYTES) + '[]}'.length
  })
  return sizes.reduce((sum, each) => sum + each, Buffer.byteLength(start) + CLOSING.length)
}
