import { z } from 'zod'
import { defineScheme } from './scheme.js'

/**
 * No positions: the token rows go in as they are, and no tensor is added.
 *
 * Not the same as an attention-side scheme, which leaves the rows too but gives tensors for the attention.
 */
export const none = defineScheme({
  type: 'none',
  options: z.strictObject({}),
  tensorDocs: {},
  check: () => undefined,
  tensors: () => [],
})
