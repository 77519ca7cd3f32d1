import { z } from 'zod'
import { defineScheme } from './scheme.js'

/**
 * No positions: the token rows stay as they are, and there is no tensor for the attention either.
 */
export const none = defineScheme({
  type: 'none',
  options: z.strictObject({}),
  tensorDocs: {},
  check: () => undefined,
  tensors: () => [],
})
