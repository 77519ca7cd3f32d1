import { z } from 'zod'
import { IdLists } from '../id-lists.js'
import { longInput } from '../json/long-fields.js'
import { LongText } from '../json/long-text.js'
import { LongTexts } from '../json/long-texts.js'
import { checkedListOrLists } from './ids-field.js'
import { checkTextOrTexts, type Texts } from './text-field.js'

/** Most texts, or lists of ids, of one request. */
export const MAX_EMBEDDINGS = 2048

const TOKEN_ID = { $ref: '#/components/schemas/TokenId' }

/** What gets embeddings: texts, or lists of ids. */
export type EmbeddingInput = Texts | IdLists

/** A text, texts, the ids of one text, or those of several. */
export const inputField = z
  .custom<string | readonly string[] | readonly number[] | readonly (readonly number[])[]>()
  .transform((value: unknown, context): EmbeddingInput => {
    if (typeof value !== 'string' && !isList(value)) {
      const message = value === undefined ? 'is needed' : 'must be a string or an array'
      context.addIssue({ code: 'custom', path: [], message })
      return z.NEVER
    }
    const input = isTexts(value) ? textsOf(value, context) : checkedListOrLists(value, context)
    if (context.issues.length > 0) return z.NEVER
    const count = countOf(input)
    if (count > MAX_EMBEDDINGS) {
      const message = `must have at most ${MAX_EMBEDDINGS} elements`
      context.addIssue({ code: 'custom', path: [], message, params: { given: `an array of ${count}` } })
    }
    return input
  })
  .meta({
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', minItems: 1, maxItems: MAX_EMBEDDINGS, items: { type: 'string', minLength: 1 } },
      { type: 'array', minItems: 1, items: TOKEN_ID },
      {
        type: 'array',
        minItems: 1,
        maxItems: MAX_EMBEDDINGS,
        items: { type: 'array', minItems: 1, items: TOKEN_ID },
      },
    ],
    description: 'A text, texts, the ids of a text, or those of several: an embedding for each.',
  })

function isList(value: unknown): boolean {
  return (
    Array.isArray(value) ||
    value instanceof LongText ||
    value instanceof LongTexts ||
    value instanceof IdLists
  )
}

function isTexts(value: unknown): boolean {
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' || first instanceof LongText || first instanceof LongTexts
}

function textsOf(value: unknown, context: z.core.$RefinementCtx): Texts {
  checkTextOrTexts(value, context)
  return value as Texts
}

/** How many embeddings an input gets. */
export function countOf(input: EmbeddingInput): number {
  if (input instanceof IdLists) return input.documents.count
  return typeof input === 'string' || input instanceof LongText ? 1 : input.length
}

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

/** Fields of that body which may be as long as the body. */
export const embeddingsLongFields = { input: longInput } as const
