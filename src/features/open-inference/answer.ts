import { responseTooLarge } from '../../first-layer/errors.js'
import { jsonAnswer, nestedArrays } from '../../first-layer/formats/json.js'
import { chained } from '../../first-layer/tensors/blocks.js'
import {
  byteLength,
  type Dtype,
  elementCount,
  type NamedTensor,
} from '../../first-layer/tensors/named-tensor.js'
import { type EncodedAnswer, prepareTensors } from '../../service/answer/send-encoded.js'
import { type Claim, inTurns } from '../../service/process/turn.js'

/** A served tensor's element type under the protocol's name. `BF16` is Triton's addition. */
export const DATATYPES: Readonly<Record<Dtype, string>> = {
  int64: 'INT64',
  int32: 'INT32',
  float32: 'FP32',
  float16: 'FP16',
  bfloat16: 'BF16',
}

/** A tensor of an answer, and whether its bytes follow the JSON. */
interface OutputTensor {
  readonly tensor: NamedTensor
  readonly isBinary: boolean
}

/**
 * The answer of an inference: JSON, then the bytes of the binary outputs in their order. Elements in the JSON are flat.
 *
 * The JSON's length must be known before its first byte is sent if bytes follow it. So its numbers are written
 * twice then: once to count them, once to send them; an answer never lies in memory as a whole.
 *
 * @param frame the JSON's other members
 * @param jsonLimit bytes of the JSON
 * @throws InletError `response_too_large` where the JSON may be longer
 */
export async function inferenceAnswer(
  outputs: readonly OutputTensor[],
  frame: object,
  jsonLimit: number,
  claim: Claim,
): Promise<EncodedAnswer & { readonly hasBytes: boolean }> {
  const json = () => jsonAnswer({ ...frame, outputs: outputs.map(described) })
  const most = json().size
  if (most > jsonLimit) throw responseTooLarge('application/json', jsonLimit, `${most} bytes`)
  await prepareTensors(
    outputs.map(({ tensor }) => tensor),
    claim,
  )
  const binary = outputs.filter(({ isBinary }) => isBinary).map(({ tensor }) => tensor)
  const binaryBytes = binary.reduce((sum, tensor) => sum + byteLength(tensor), 0)
  const hasNumbers = binary.length < outputs.length
  let jsonBytes = most
  if (binary.length > 0 && hasNumbers) {
    jsonBytes = 0
    for await (const text of inTurns(json().body, claim)) jsonBytes += text.byteLength
  }
  const hasBytes = binaryBytes > 0
  return {
    hasBytes,
    size: jsonBytes + binaryBytes,
    exact: binary.length > 0 || !hasNumbers,
    headers: hasBytes ? { 'inference-header-content-length': String(jsonBytes) } : {},
    body: chained([json().body, ...binary.map((tensor) => tensor.blocks())]),
  }
}

function described({ tensor, isBinary }: OutputTensor) {
  const { name, dtype, shape } = tensor
  const elements = isBinary
    ? { parameters: { binary_data_size: byteLength(tensor) } }
    : { data: nestedArrays({ name, dtype, shape: [elementCount(shape)], blocks: () => tensor.blocks() }) }
  return { name, datatype: DATATYPES[dtype], shape, ...elements }
}
