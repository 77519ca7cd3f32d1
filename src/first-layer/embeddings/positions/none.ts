import { z } from 'zod'
import { defineScheme } from './scheme.js'

/**
 * No positions: the token rows stay as they are, and there is no tensor for the attention either.
 */
export const none = defineScheme({
  type: 'none',
  options: z.strictObject({
    rope_type: z
      .enum(['longrope', 'proportional', 'other'])
      .optional()
      .describe('The rope of a folder’s config.json, which is not computed. Absent: there is none.'),
  }),
  picture: [
    'No scheme: the rows do not say where they stand, and a shuffled sentence has the same rows, shuffled. Some models learn the order from the causal mask alone.',
  ],
  tensorDocs: {},
  tensors: () => [],
})
