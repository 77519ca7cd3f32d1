import { z } from 'zod'
import { specialField } from './names.js'

/** How a text becomes ids. */
export const tokenizeOptions = {
  allowed_special: specialField
    .optional()
    .describe(
      'Special tokens whose literal becomes their id: a list, or "all". Default: `<|endoftext|>`; all for folders.',
    ),
  add_special_tokens: z
    .boolean()
    .default(false)
    .describe(
      'Add the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. The encodings have none.',
    ),
}
