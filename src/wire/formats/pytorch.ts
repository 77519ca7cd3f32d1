import { torchFile, torchFileBytes } from '../../first-layer/tensors/torch/torch-file.js'
import type { Format } from './format.js'
import { countHeaders } from './headers.js'

/** One tensor as PyTorch's own file: `torch.load(file, weights_only=True)`. */
export const pytorch: Format = {
  name: 'pt',
  mediaTypes: ['application/x-pytorch'],
  single: true,
  limit: 'MAX_RESPONSE_BYTES',
  encode(answer) {
    const [tensor] = answer.tensors
    return {
      size: torchFileBytes(tensor),
      exact: true,
      headers: countHeaders(answer),
      body: torchFile(tensor),
    }
  },
}
