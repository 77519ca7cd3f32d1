import { defineScheme } from './scheme.js'

/**
 * No positions: the token rows stay as they are, and there is no tensor for the attention either.
 */
export const none = defineScheme({
  type: 'none',
  options: {},
  picture: [
    'No scheme: the rows do not say where they stand, and a shuffled sentence has the same rows, shuffled. Some models learn the order from the causal mask alone.',
  ],
  tensorDocs: {},
  check: () => undefined,
  tensors: () => [],
})
