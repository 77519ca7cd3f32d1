import { npyFile, npyFileBytes } from '../../first-layer/tensors/npy.js'
import type { Format } from './format.js'
import { countHeaders } from './headers.js'
import { noBfloat16 } from './no-bfloat16.js'

/** One tensor as NumPy's own file. NumPy has no bfloat16. */
export const npy: Format = {
  name: 'npy',
  mediaTypes: ['application/x-npy'],
  single: true,
  limit: 'MAX_RESPONSE_BYTES',
  refuses: noBfloat16('application/x-npy', 'NumPy'),
  encode(answer) {
    const [tensor] = answer.tensors
    return {
      size: npyFileBytes(tensor),
      exact: true,
      headers: countHeaders(answer),
      body: npyFile(tensor),
    }
  },
}
