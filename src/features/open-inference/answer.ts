import { type Blocks, PAUSE, type Steps } from '../../first-layer/steps.js'
import {
  byteLength,
  type Dtype,
  elementCount,
  type NamedTensor,
} from '../../first-layer/tensors/named-tensor.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import { nestedArrayText } from '../../service/answer/number-text.js'
import { responseTooLarge } from '../../service/answer/send-encoded.js'

/** A served tensor's element type under the protocol's name. `BF16` is Triton's addition. */
export const DATATYPES: Readonly<Record<Dtype, string>> = {
  int64: 'INT64',
  int32: 'INT32',
  float32: 'FP32',
  float16: 'FP16',
  bfloat16: 'BF16',
}

/** Bytes that a size counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14
const ID_BYTES = 7

/** A tensor of an answer, and whether its bytes follow the JSON. */
interface OutputTensor {
  readonly tensor: NamedTensor
  readonly isBinary: boolean
}

interface Frame {
  readonly model_name: string
  readonly model_version: string
  readonly id?: string | undefined
  readonly parameters: Readonly<Record<string, string | number>>
}

/**
 * The answer of an inference: JSON, then the bytes of the binary outputs in their order. Elements in the JSON are flat.
 *
 * The JSON's length must be known before its first byte is sent if bytes follow it. So its numbers are written
 * twice then: once to count them, once to send them; an answer never lies in memory as a whole.
 *
 * @param jsonLimit bytes of the JSON
 * @throws InletError `response_too_large` where the JSON may be longer
 */
export function* inferenceAnswer(
  outputs: readonly OutputTensor[],
  frame: Frame,
  jsonLimit: number,
): Steps<EncodedAnswer & { readonly hasBytes: boolean }> {
  const start = `${JSON.stringify(frame).slice(0, -1)},"outputs":[`
  const most = mostBytes(outputs, start)
  if (most > jsonLimit) throw responseTooLarge('application/json', jsonLimit, `${most} bytes`)
  const binary = outputs.filter(({ isBinary }) => isBinary).map(({ tensor }) => tensor)
  const binaryBytes = binary.reduce((sum, tensor) => sum + byteLength(tensor), 0)
  const hasNumbers = binary.length < outputs.length
  const jsonBytes = binary.length > 0 && hasNumbers ? yield* countedBytes(outputs, start) : most
  const hasBytes = binaryBytes > 0
  return {
    hasBytes,
    size: jsonBytes + binaryBytes,
    exact: binary.length > 0 || !hasNumbers,
    headers: hasBytes ? { 'inference-header-content-length': String(jsonBytes) } : {},
    body: body(outputs, start),
  }
}

/** Everything of a tensor up to its elements, or up to its end if they follow the JSON. */
function opening({ tensor, isBinary }: OutputTensor, index: number): string {
  const { name, dtype, shape } = tensor
  const comma = index === 0 ? '' : ','
  const said = `${comma}{"name":${JSON.stringify(name)},"datatype":"${DATATYPES[dtype]}","shape":${JSON.stringify(shape)}`
  return isBinary ? `${said},"parameters":{"binary_data_size":${byteLength(tensor)}}}` : `${said},"data":`
}

/** Bytes of the JSON: exact where all outputs are binary, else at least as many as it has. */
function mostBytes(outputs: readonly OutputTensor[], start: string): number {
  let bytes = Buffer.byteLength(start) + ']}'.length
  for (const [index, output] of outputs.entries()) {
    const { dtype, shape } = output.tensor
    bytes += Buffer.byteLength(opening(output, index))
    if (output.isBinary) continue
    bytes += elementCount(shape) * (dtype.startsWith('int') ? ID_BYTES : FLOAT_BYTES) + '[]}'.length
  }
  return bytes
}

function* countedBytes(outputs: readonly OutputTensor[], start: string): Steps<number> {
  let bytes = 0
  for (const text of jsonBlocks(outputs, start)) {
    if (text instanceof Uint8Array) bytes += text.byteLength
    yield text instanceof Uint8Array ? PAUSE : text
  }
  return bytes
}

function* body(outputs: readonly OutputTensor[], start: string): Blocks {
  yield* jsonBlocks(outputs, start)
  for (const { tensor, isBinary } of outputs) if (isBinary) yield* tensor.blocks()
}

function* jsonBlocks(outputs: readonly OutputTensor[], start: string): Blocks {
  let pending = start
  for (const [index, output] of outputs.entries()) {
    pending += opening(output, index)
    if (output.isBinary) continue
    const { name, dtype, shape } = output.tensor
    const flat = { name, dtype, shape: [elementCount(shape)], blocks: () => output.tensor.blocks() }
    yield* nestedArrayText(flat, pending)
    pending = '}'
  }
  yield Buffer.from(`${pending}]}`)
}
