import { z } from 'zod'
import { shown } from '../../errors.js'
import { MAX_EPOCH } from '../../first-layer/windows/shuffle.js'
import { requestedArchitectureSchema } from './architecture.js'
import { idsField, textField } from './given-field.js'
import { outputsField, specialField } from './names-field.js'
import { positionEmbeddingSchema } from './position-embedding.js'
import { seedField } from './seed-field.js'

/** An index or a size that float64 counts exactly. */
const index = () => z.int().min(0)
const size = () => z.int().min(1)

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
  .describe(
    'Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none.',
  )

/** The options of every request for input embeddings, in a JSON body or in the query string beside raw text. */
export const optionFields = {
  model: z.string().optional().describe('Id of the model. Default: the service’s default model.'),
  context_length: size()
    .optional()
    .describe('T, tokens in a window. Absent: each document is one window of its own length.'),
  stride: size()
    .optional()
    .describe('Step between window starts, in tokens (not the overlap). Default: `context_length`.'),
  tail: z
    .enum(['drop', 'pad'])
    .optional()
    .describe('`drop` (default): only windows with T inputs and T targets. `pad`: all tokens, right-padded.'),
  truncation: z
    .boolean()
    .default(false)
    .describe(
      'Cut each document to its first `max_length` tokens; `num_truncated_tokens` counts what is cut off. Special ' +
        'tokens that `add_special_tokens` puts at the end stay. Default: nothing is ever cut.',
    ),
  max_length: size()
    .optional()
    .describe(
      'Tokens of a document under `truncation`. Default: as many as the model has positions for. Windows have ' +
        '`context_length`.',
    ),
  pad_token_id: index().optional().describe('Id of padded slots. Default: the encoding’s end-of-text.'),
  batch_size: size().optional().describe('Windows in a batch of the loader. Absent: all windows.'),
  batch_index: index()
    .optional()
    .describe('The batch to answer with, from 0. Absent: all batches, in loader order.'),
  shuffle: z.boolean().default(false).describe('Order of PyTorch’s DataLoader(shuffle=True); needs `seed`.'),
  seed: seedField.optional().describe('`torch.manual_seed` before the loader, −2^63 … 2^64 − 1.'),
  epoch: index().max(MAX_EPOCH).default(0).describe('Which pass over the loader, from 0.'),
  drop_last: z.boolean().default(false).describe('Leave out a last, short batch; needs `batch_size`.'),
  position_embedding: positionEmbeddingSchema
    .optional()
    .describe('Position scheme. Default: the model’s own.'),
  architecture: requestedArchitectureSchema.optional(),
  position_offset: index().default(0).describe('Position of a window’s first token.'),
  outputs: outputsField.optional().describe('Names of the tensors to answer with.'),
  dtype: z
    .enum(['float32', 'float16', 'bfloat16'])
    .default('float32')
    .describe('Element type of float outputs.'),
  encoding_format: z
    .enum(['float', 'base64'])
    .default('float')
    .describe('JSON only: nested arrays of numbers, or base64 of the little-endian bytes.'),
  allowed_special: allowedSpecialField,
  add_special_tokens: addSpecialTokensField,
} as const

type Options = z.output<z.ZodObject<typeof optionFields>>

/** Refuses options that conflict; the error names the field that must be left out, or added. */
function checkConflicts(request: Options, context: z.core.$RefinementCtx<unknown>): void {
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: request[field as keyof Options] })
  if (request.context_length === undefined) {
    if (request.stride !== undefined) refuse('stride', 'must not be given without `context_length`')
    if (request.tail !== undefined) refuse('tail', 'must not be given without `context_length`')
  }
  if (request.max_length !== undefined && !request.truncation) {
    refuse(
      'max_length',
      'must not be given without `truncation`: true (the length of windows is `context_length`)',
    )
  }
  if (request.batch_size === undefined) {
    if (request.batch_index !== undefined) refuse('batch_index', 'must not be given without `batch_size`')
    if (request.drop_last) refuse('drop_last', 'must not be true without `batch_size`')
  }
  if (request.shuffle && request.seed === undefined) refuse('seed', 'is needed where `shuffle` is true')
}

/** The body of `POST /v1/input-embeddings`. */
export const embeddingRequest = z
  .strictObject({
    text: textField.optional(),
    input_ids: idsField('Token ids, used exactly as given: one document, or an array of them.').optional(),
    token_type_ids: idsField('Beside `input_ids`, in their form: rows of the token-type table.').optional(),
    ...optionFields,
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
    checkConflicts(request, context)
  })

/** The query string beside a text/plain body. */
export const rawTextOptions = z.strictObject(optionFields).superRefine(checkConflicts)

const { model: _model, outputs: _outputs, encoding_format: _format, ...inferenceFields } = optionFields

/** The parameters of an inference request: the protocol has fields of its own for the model and the outputs. */
export const inferenceOptions = z.strictObject(inferenceFields).superRefine((options, context) => {
  checkConflicts(options as Options, context)
})

export type EmbeddingBody = z.output<typeof embeddingRequest>
export type OptionFields = z.output<typeof rawTextOptions>
