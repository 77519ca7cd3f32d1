import { z } from 'zod'
import { checkConflicts, EMBEDDING_OPTIONS } from '../../../first-layer/embedding-plan.js'
import { shown } from '../../answer/error-table.js'
import { requestedArchitectureSchema } from './architecture.js'
import { idsField, textField } from './given-field.js'
import { outputsField, specialField } from './names-field.js'
import { shapeOf } from './option-schemas.js'
import { positionEmbeddingSchema } from './position-embedding.js'
import { seedField } from './seed-field.js'

const shape = shapeOf(EMBEDDING_OPTIONS)

/** Special tokens that count as such; the course's own is the default. */
export const allowedSpecialField = specialField
  .optional()
  .describe(
    'Special tokens whose literal in the text becomes their id: a list, or "all". Default: `<|endoftext|>` for the five ' +
      'encodings, all for tokenizers of folders.',
  )

export const addSpecialTokensField = z
  .boolean()
  .default(false)
  .describe(EMBEDDING_OPTIONS.add_special_tokens.description)

/** The options of every request for input embeddings, in a JSON body or in the query string beside raw text. */
export const optionFields = {
  model: z.string().optional().describe('Id of the model. Default: the service’s default model.'),
  context_length: shape.context_length,
  stride: shape.stride,
  tail: shape.tail,
  truncation: shape.truncation,
  max_length: shape.max_length,
  pad_token_id: shape.pad_token_id,
  batch_size: shape.batch_size,
  batch_index: shape.batch_index,
  shuffle: shape.shuffle,
  seed: seedField.optional().describe('`torch.manual_seed` before the loader, −2^63 … 2^64 − 1.'),
  epoch: shape.epoch,
  drop_last: shape.drop_last,
  position_embedding: positionEmbeddingSchema
    .optional()
    .describe('Position scheme. Default: the model’s own.'),
  architecture: requestedArchitectureSchema.optional(),
  position_offset: shape.position_offset,
  outputs: outputsField.optional().describe('Names of the tensors to answer with.'),
  dtype: shape.dtype,
  ids_dtype: shape.ids_dtype,
  encoding_format: z
    .enum(['float', 'base64'])
    .default('float')
    .describe('JSON only: nested arrays of numbers, or base64 of the little-endian bytes.'),
  allowed_special: allowedSpecialField,
  add_special_tokens: shape.add_special_tokens,
  ngram_context: z
    .enum(['document'])
    .optional()
    .describe('Models of n-grams: `document` takes the ids before each window from its document.'),
} as const

type Options = Omit<z.output<z.ZodObject<typeof optionFields>>, 'ngram_context'>

function refuseConflicts(request: Options, context: z.core.$RefinementCtx<unknown>): void {
  checkConflicts(request, (field, message) =>
    context.addIssue({ code: 'custom', path: [field], message, input: request[field as keyof Options] }),
  )
}

/** The body of `POST /v1/input-embeddings`. */
export const embeddingRequest = z
  .strictObject({
    text: textField.optional(),
    input_ids: idsField.optional(),
    token_type_ids: idsField
      .describe('Beside `input_ids`, in their form: rows of the token-type table.')
      .optional(),
    ...optionFields,
    ngram_context: z
      .union([z.literal('document'), z.array(z.array(z.int()))], {
        error: 'must be "document" or an array of arrays of ids',
      })
      .optional()
      .describe(
        'Models of n-grams: the last ids before each window, from which its n-grams go on, or `document`: those of its document. Default: a window begins a text.',
      ),
  })
  .superRefine((request, context) => {
    const refuse = (field: string, message: string, given?: string) =>
      context.addIssue({ code: 'custom', path: [field], message, params: { given } })
    if (request.text === undefined && request.input_ids === undefined) {
      refuse('text', 'or `input_ids` is needed')
    }
    if (request.text !== undefined && request.input_ids !== undefined) {
      refuse('input_ids', 'must not be given beside `text`', shown(request.input_ids))
    }
    if (request.token_type_ids !== undefined && request.input_ids === undefined) {
      refuse('token_type_ids', 'must not be given without `input_ids`', shown(request.token_type_ids))
    }
    refuseConflicts(request, context)
  })

export type EmbeddingBody = z.output<typeof embeddingRequest>

/** The query string beside a text/plain body. */
export const rawTextOptions = z.strictObject(optionFields).superRefine(refuseConflicts)

const { model: _model, outputs: _outputs, encoding_format: _format, ...inferenceFields } = optionFields

/** The parameters of an inference request: the protocol has other fields for the model and the outputs. */
export const inferenceOptions = z.strictObject(inferenceFields).superRefine((options, context) => {
  refuseConflicts(options as Options, context)
})
