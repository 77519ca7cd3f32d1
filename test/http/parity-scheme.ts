import { defineScheme } from '../../src/first-layer/embeddings/positions/scheme.js'
import { count, number } from '../../src/first-layer/options.js'

/** A scheme that nobody knows: one file, and its line in the registry. */
export const parity = defineScheme({
  type: 'parity',
  options: { step: count(1000).default(2), scale: number(-1000, 1000).default(1) },
  added: 'position_embeddings',
  tensorDocs: {
    position_embeddings: ['[T, C]', 'One number for each parity.'],
    parity_index: ['[T]', 'Position modulo step.'],
  },
  check: ({ step }) =>
    step > 100
      ? { code: 'invalid_request', option: 'step', message: '`position_embedding.step` is too long' }
      : undefined,
  tensors: ({ step, scale }, { length, offset, embeddingDim }) => [
    {
      name: 'position_embeddings',
      dtype: 'float32',
      shape: [length, embeddingDim],
      fill(out, start) {
        for (let i = 0; i < out.length; i++) {
          out[i] = ((offset + Math.floor((start + i) / embeddingDim)) % step) * scale
        }
      },
    },
    {
      name: 'parity_index',
      dtype: 'int32',
      shape: [length],
      fill(out, start) {
        for (let i = 0; i < out.length; i++) out[i] = (offset + start + i) % step
      },
    },
  ],
  metadata: ({ step }) => ({ step: String(step) }),
})
