import { byteLength } from '../../first-layer/tensors/named-tensor.js'
import type { Format } from './format.js'
import { countHeaders } from './headers.js'

/** One tensor's bytes and nothing else: little-endian, row-major. The headers give its name, type and shape. */
export const raw: Format = {
  name: 'raw',
  mediaTypes: ['application/octet-stream'],
  single: true,
  limit: 'MAX_RESPONSE_BYTES',
  encode(answer) {
    const [tensor] = answer.tensors
    return {
      size: byteLength(tensor),
      exact: true,
      headers: countHeaders(answer, {
        'x-tensor-name': tensor.name,
        'x-tensor-dtype': tensor.dtype,
        'x-tensor-shape': tensor.shape.join(','),
      }),
      body: tensor.blocks(),
    }
  },
}
