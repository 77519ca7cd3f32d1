import type { Answer } from '../../first-layer/answer.js'
import { byteLength, ITEM_BYTES } from '../../first-layer/tensors/named-tensor.js'
import { writeHeader } from '../../first-layer/tensors/safetensors/write-header.js'
import { countFields } from '../counts.js'
import type { Format } from './format.js'
import { countHeaders } from './headers.js'

/** Wide elements first, so that each tensor starts at a multiple of its element. */
function inFileOrder(answer: Answer) {
  return [...answer.tensors].sort((a, b) => ITEM_BYTES[b.dtype] - ITEM_BYTES[a.dtype])
}

/** The file's header. `__metadata__` holds the model, the counts as decimal strings, and what the position scheme says. */
export function safetensorsHeader(answer: Answer): Buffer {
  const counts = countFields(answer.counts).map(([name, value]) => [name, String(value)])
  const { model, modelVersion } = answer
  const metadata = { model, model_version: modelVersion, ...Object.fromEntries(counts), ...answer.metadata }
  return writeHeader(metadata, inFileOrder(answer))
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
  limit: 'MAX_RESPONSE_BYTES',
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
