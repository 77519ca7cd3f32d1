import { atLeast, boolean, choice, integer } from './options.js'
import { MAX_EPOCH } from './windows/shuffle.js'

/** The options of a request for input embeddings that are numbers, switches and choices, by their wire names. */
export const EMBEDDING_OPTIONS = {
  context_length: atLeast(1)
    .optional()
    .describe('T, tokens in a window. Absent: each document is one window of its own length.'),
  stride: atLeast(1)
    .optional()
    .describe('Step between window starts, in tokens (not the overlap). Default: `context_length`.'),
  tail: choice(['drop', 'pad'])
    .optional()
    .describe('`drop` (default): only windows with T inputs and T targets. `pad`: all tokens, right-padded.'),
  truncation: boolean()
    .default(false)
    .describe(
      'Cut each document to its first `max_length` tokens; `num_truncated_tokens` counts what is cut off. Special ' +
        'tokens that `add_special_tokens` puts at the end stay. Default: nothing is ever cut.',
    ),
  max_length: atLeast(1)
    .optional()
    .describe(
      'Tokens of a document under `truncation`. Default: as many as the model has positions for. Windows have ' +
        '`context_length`.',
    ),
  pad_token_id: atLeast(0).optional().describe('Id of padded slots. Default: the encoding’s end-of-text.'),
  batch_size: atLeast(1).optional().describe('Windows in a batch of the loader. Absent: all windows.'),
  batch_index: atLeast(0)
    .optional()
    .describe('The batch to answer with, from 0. Absent: all batches, in loader order.'),
  shuffle: boolean().default(false).describe('Order of PyTorch’s DataLoader(shuffle=True); needs `seed`.'),
  epoch: integer(0, MAX_EPOCH).default(0).describe('Which pass over the loader, from 0.'),
  drop_last: boolean().default(false).describe('Leave out a last, short batch; needs `batch_size`.'),
  position_offset: atLeast(0).default(0).describe('Position of a window’s first token.'),
  dtype: choice(['float32', 'float16', 'bfloat16'])
    .default('float32')
    .describe('Element type of float outputs.'),
  ids_dtype: choice(['int32', 'int64'])
    .default('int32')
    .describe('Element type of ids, masks, positions and indices. PyTorch’s losses take int64.'),
  add_special_tokens: boolean()
    .default(false)
    .describe(
      'Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none.',
    ),
} as const

/** The options that can conflict with another one. */
interface Conflicting {
  readonly context_length?: number | undefined
  readonly stride?: number | undefined
  readonly tail?: string | undefined
  readonly truncation: boolean
  readonly max_length?: number | undefined
  readonly batch_size?: number | undefined
  readonly batch_index?: number | undefined
  readonly shuffle: boolean
  readonly seed?: unknown
  readonly drop_last: boolean
}

/**
 * Calls `refuse` with each option that needs another one, and the rule: `tail` → must not be given without
 * `context_length`. One that only has no effect, as `seed` without `shuffle`, is accepted.
 */
export function checkConflicts(options: Conflicting, refuse: (field: string, rule: string) => void): void {
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
