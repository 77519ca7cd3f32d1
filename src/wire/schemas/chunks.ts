import { z } from 'zod'
import { BOUNDARIES } from '../../first-layer/windows/text-boundary.js'
import { allowedSpecialField } from './embedding-request.js'
import { textField } from './given-field.js'
import { checkOneTokenizer, tokenizerFields } from './tokenize.js'

/** Most tokens of a chunk. */
const MAX_TOKENS = 2 ** 24

/** The body of `POST /v1/chunks`. */
export const chunksRequest = z
  .strictObject({
    text: textField.describe('A text, or texts, each cut by itself.'),
    ...tokenizerFields,
    max_tokens: z.int().min(1).max(MAX_TOKENS).describe('Most tokens of a chunk.'),
    overlap: z
      .int()
      .min(0)
      .default(0)
      .describe('Most tokens that a chunk has of the one before it, below `max_tokens`.'),
    boundary: z
      .enum(BOUNDARIES)
      .default('token')
      .describe(
        'Where chunks begin and end by preference: between any two tokens, at the start of a line, or at the start of a sentence.',
      ),
    include_text: z.boolean().default(false).describe('Whether each chunk has its text.'),
    allowed_special: allowedSpecialField,
  })
  .superRefine((body, context) => {
    checkOneTokenizer(body, context)
    if (body.overlap < body.max_tokens) return
    const message = `must be below \`max_tokens\` ${body.max_tokens}`
    context.addIssue({ code: 'custom', path: ['overlap'], message })
  })

const count = () => z.int().min(0)
const offsets = () => z.array(count()).length(2)

/** A chunk of `POST /v1/chunks`. */
export const chunkAnswer = z.strictObject({
  byte_offsets: offsets().describe('Where it begins in the UTF-8 of its text, and the byte behind it.'),
  char_offsets: offsets().describe('The same in Unicode code points.'),
  num_tokens: count().describe('Tokens of the text in it.'),
  text: z.string().optional().describe('The text itself, under `include_text`.'),
})

/** One text of a list in the answer of `POST /v1/chunks`. */
export const chunkedDocument = z.strictObject({
  start: count().describe('Place of its first chunk in `chunks`.'),
  num_chunks: count().describe('Chunks of this text.'),
  num_tokens: count().describe('Tokens of this text.'),
})

/** `POST /v1/chunks`. */
export const chunksAnswer = z.strictObject({
  num_tokens: count().describe('Tokens of all texts.'),
  num_chunks: count().describe('Chunks of all texts.'),
  chunks: z.array(chunkAnswer).describe('Of a list of texts one text after the other.'),
  documents: z
    .array(chunkedDocument)
    .optional()
    .describe('For a list of texts: where the chunks of each are. Absent for a single string.'),
})
