import { z } from 'zod'
import { idsField, refuseInput, textField } from '../first-layer/given.js'
import { embeddingOptions, refuseConflicts } from '../first-layer/options/embedding.js'
import { requestedArchitectureSchema } from './requested-architecture.js'

const bodyOptions = {
  model: z.string().optional().describe('Id of the model. Default: the service’s default model.'),
  ...embeddingOptions,
  architecture: requestedArchitectureSchema.optional(),
  encoding_format: z
    .enum(['float', 'base64'])
    .default('float')
    .describe('JSON only: nested arrays of numbers, or base64 of the little-endian bytes.'),
} as const

/** The options of every request for input embeddings, in the query string beside raw text. */
export const optionFields = {
  ...bodyOptions,
  ngram_context: z
    .enum(['document'])
    .optional()
    .describe('Models of n-grams: `document` takes the ids before each window from its document.'),
} as const

/** The body of `POST /v1/input-embeddings`. */
export const embeddingRequest = z
  .strictObject({
    text: textField.optional(),
    input_ids: idsField.optional(),
    token_type_ids: idsField
      .describe('Beside `input_ids`, in their form: rows of the token-type table.')
      .optional(),
    ...bodyOptions,
  })
  .superRefine(refuseInput)
  .superRefine(refuseConflicts)

export type EmbeddingBody = z.output<typeof embeddingRequest>

/** The query string beside a text/plain body. */
export const rawTextOptions = z.strictObject(optionFields).superRefine(refuseConflicts)

const { model: _model, outputs: _outputs, encoding_format: _format, ...inferenceFields } = optionFields

/** The parameters of an inference request: the protocol has other fields for the model and the outputs. */
export const inferenceOptions = z
  .strictObject(inferenceFields)
  .superRefine((options, context) => refuseConflicts({ outputs: undefined, ...options }, context))
