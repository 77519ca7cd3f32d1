import { defineScheme } from './scheme.js'

/**
 * No positions: the token rows stay as they are, and there is no tensor for the attention either.
 */
export const none = defineScheme({
  type: 'none',
  options: {},
  tensorDocs: {},
  check: () => undefined,
  tensors: () => [],
})
