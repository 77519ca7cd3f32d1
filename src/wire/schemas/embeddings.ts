import { z } from 'zod'
import { inputField } from './given-field.js'

/** The body of `POST /v1/embeddings`. */
export const embeddingsRequest = z.strictObject({
  input: inputField,
  model: z.string().optional().describe('Id of a static model. Default: the service’s default model.'),
  dimensions: z
    .int()
    .min(1)
    .optional()
    .describe(
      'How many of an embedding’s first numbers are wanted; they are normalized again where the model normalizes. Default: all.',
    ),
  encoding_format: z
    .enum(['float', 'base64'])
    .default('float')
    .describe('Numbers, or one string for each embedding: its float32 numbers, little-endian, in base64.'),
  user: z.string().optional().describe('Who asks. It changes nothing.'),
})
