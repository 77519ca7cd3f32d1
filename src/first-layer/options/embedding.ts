import { z } from 'zod'
import { positionEmbeddingSchema } from '../embeddings/positions/position-option.js'
import { MAX_EPOCH } from '../random/permutation.js'
import { outputsField } from './names.js'
import { seedField } from './seed.js'
import { tokenizeOptions } from './tokenize.js'

/** The options of input embeddings: fields of a request, parameters of a query, flags, and fields of the library. */
export const embeddingOptions = {
  context_length: z
    .int()
    .min(1)
    .optional()
    .describe('T, tokens in a window. Absent: each document is one window of its own length.'),
  stride: z
    .int()
    .min(1)
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
  max_length: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Tokens of a document under `truncation`. Default: as many as the model has positions for. Windows have ' +
        '`context_length`.',
    ),
  pad_token_id: z
    .int()
    .min(0)
    .optional()
    .describe('Id of padded slots. Default: the encoding’s end-of-text.'),
  batch_size: z.int().min(1).optional().describe('Windows in a batch of the loader. Absent: all windows.'),
  batch_index: z
    .int()
    .min(0)
    .optional()
    .describe('The batch to answer with, from 0. Absent: all batches, in loader order.'),
  shuffle: z.boolean().default(false).describe('Order of PyTorch’s DataLoader(shuffle=True); needs `seed`.'),
  seed: seedField.optional().describe('`torch.manual_seed` before the loader, −2^63 … 2^64 − 1.'),
  epoch: z.int().min(0).max(MAX_EPOCH).default(0).describe('Which pass over the loader, from 0.'),
  drop_last: z.boolean().default(false).describe('Leave out a last, short batch; needs `batch_size`.'),
  position_embedding: positionEmbeddingSchema
    .optional()
    .describe('Position scheme. Default: the model’s own.'),
  architecture: z.string().optional().describe('What is done to the token rows. Default: the model’s own.'),
  position_offset: z.int().min(0).default(0).describe('Position of a window’s first token.'),
  outputs: outputsField.optional().describe('Names of the tensors to answer with.'),
  dtype: z
    .enum(['float32', 'float16', 'bfloat16'])
    .default('float32')
    .describe('Element type of float outputs.'),
  ids_dtype: z
    .enum(['int32', 'int64'])
    .default('int32')
    .describe('Element type of ids, masks, positions and indices. PyTorch’s losses take int64.'),
  ...tokenizeOptions,
  ngram_context: z
    .union([z.literal('document'), z.array(z.array(z.int()))], {
      error: 'must be "document" or an array of arrays of ids',
    })
    .optional()
    .describe(
      'Models of n-grams: the last ids before each window, from which its n-grams go on, or `document`: those of its document. Default: a window begins a text.',
    ),
} as const

/** The options with their defaults. */
export type EmbeddingOptions = z.output<z.ZodObject<typeof embeddingOptions>>

/** Those that configure the first layer. */
export type LayerOptions = Pick<
  EmbeddingOptions,
  'position_embedding' | 'architecture' | 'position_offset' | 'outputs' | 'dtype' | 'ids_dtype'
>

/**
 * Refuses each option that needs another one: `tail` must not be given without `context_length`. One that only has no
 * effect, as `seed` without `shuffle`, is accepted.
 */
export function refuseConflicts(
  options: Omit<EmbeddingOptions, 'ngram_context'>,
  context: z.core.$RefinementCtx<unknown>,
): void {
  const refuse = (field: keyof typeof options, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: options[field] })
  if (options.context_length === undefined) {
    if (options.stride !== undefined) refuse('stride', 'must not be given without `context_length`')
    if (options.tail !== undefined) refuse('tail', 'must not be given without `context_length`')
  }
  if (options.max_length !== undefined && !options.truncation) {
    refuse(
      'max_length',
      'must not be given without `truncation`: true (the length of windows is `context_length`)',
    )
  }
  if (options.batch_size === undefined) {
    if (options.batch_index !== undefined) refuse('batch_index', 'must not be given without `batch_size`')
    if (options.drop_last) refuse('drop_last', 'must not be true without `batch_size`')
  }
  if (options.shuffle && options.seed === undefined) refuse('seed', 'is needed where `shuffle` is true')
}

/** The options as the library takes them. */
export const embedOptions = z.strictObject(embeddingOptions).superRefine(refuseConflicts)
