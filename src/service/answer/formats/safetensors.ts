import { fileMetadata } from '../../../first-layer/answer.js'
import { safetensorsFile } from '../../../first-layer/tensors/safetensors/safetensors-file.js'
import { countHeaders } from '../counts.js'
import type { Format } from './json.js'

/** All tensors in one file, as `safetensors.numpy.load` and its kin read it; the facts are its `__metadata__`. */
export const safetensors: Format = {
  name: 'safetensors',
  mediaTypes: ['application/vnd.safetensors', 'application/x-safetensors'],
  single: false,
  limit: 'MAX_RESPONSE_BYTES',
  encode(answer) {
    const file = safetensorsFile(fileMetadata(answer), answer.tensors)
    return { size: file.bytes, exact: true, headers: countHeaders(answer), body: file.blocks() }
  },
}
