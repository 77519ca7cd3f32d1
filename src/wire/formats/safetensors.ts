import { byteLength, type Dtype, ITEM_BYTES } from '../../named-tensor.js'
import { type Answer, countFields } from '../answer.js'
import type { Format } from './format.js'
import { countHeaders } from './headers.js'

const DTYPE_NAMES: Readonly<Record<Dtype, string>> = {
  int32: 'I32',
  float32: 'F32',
  float16: 'F16',
  bfloat16: 'BF16',
}

/** Wide elements first, so that each tensor starts at a multiple of its element. */
function inFileOrder(answer: Answer) {
  return [...answer.tensors].sort((a, b) => ITEM_BYTES[b.dtype] - ITEM_BYTES[a.dtype])
}

/**
 * Length (8 bytes, little-endian) and JSON header of a safetensors file, padded with spaces to a multiple of 8.
 * `__metadata__` holds the model, the counts as decimal strings, and what the position scheme says.
 * Source: the format's description in huggingface/safetensors, README.md.
 */
export function safetensorsHeader(answer: Answer): Buffer {
  const counts = countFields(answer.counts).map(([name, value]) => [name, String(value)])
  const header: Record<string, unknown> = {
    __metadata__: {
      model: answer.model,
      model_version: answer.modelVersion,
      ...Object.fromEntries(counts),
      ...answer.metadata,
    },
  }
  let offset = 0
  for (const tensor of inFileOrder(answer)) {
    const end = offset + byteLength(tensor)
    header[tensor.name] = {
      dtype: DTYPE_NAMES[tensor.dtype],
      shape: tensor.shape,
      data_offsets: [offset, end],
    }
    offset = end
  }
  const json = Buffer.from(JSON.stringify(header))
  const padded = Math.ceil(json.length / 8) * 8
  const bytes = Buffer.alloc(8 + padded, ' ')
  bytes.writeBigUInt64LE(BigInt(padded), 0)
  json.copy(bytes, 8)
  return bytes
}

async function* file(answer: Answer, header: Buffer): AsyncGenerator<Uint8Array, void, void> {
  yield header
  for (const tensor of inFileOrder(answer)) yield* tensor.blocks()
}

function dataBytes(answer: Answer): number {
  return answer.tensors.reduce((sum, tensor) => sum + byteLength(tensor), 0)
}

/** All tensors in one file, as `safetensors.numpy.load` and its kin read it. */
export const safetensors: Format = {
  name: 'safetensors',
  mediaTypes: ['application/vnd.safetensors', 'application/x-safetensors'],
  single: false,
  limit: 'maxResponseBytes',
  encode(answer) {
    const header = safetensorsHeader(answer)
    return {
      size: header.length + dataBytes(answer),
      exact: true,
      headers: countHeaders(answer),
      body: file(answer, header),
    }
  },
}
