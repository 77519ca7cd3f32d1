import { noNpyType, npyFile, npyFileBytes } from '../../../first-layer/tensors/npy.js'
import { countHeaders } from '../counts.js'
import type { Format } from './json.js'

/** One tensor as NumPy's own file. NumPy has no bfloat16. */
export const npy: Format = {
  name: 'npy',
  mediaTypes: ['application/x-npy'],
  single: true,
  limit: 'MAX_RESPONSE_BYTES',
  refuses: noNpyType,
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
