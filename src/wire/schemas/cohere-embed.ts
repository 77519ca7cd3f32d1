import { z } from 'zod'
import { VECTOR_DTYPES } from '../../first-layer/pooling/quantized.js'
import { MAX_EMBEDDINGS, textField } from './given-field.js'

/** Forms of embeddings, by Cohere's names. */
export const COHERE_TYPES = [...VECTOR_DTYPES, 'base64'] as const
export type CohereType = (typeof COHERE_TYPES)[number]

const text = z.string().superRefine((value, context) => {
  if (value === '')
    return context.addIssue({ code: 'custom', message: 'must not be empty', params: { code: 'empty_input' } })
  if (value.isWellFormed()) return
  context.addIssue({ code: 'custom', message: 'must be Unicode', params: { code: 'invalid_unicode' } })
})

/** A part of a text in Cohere's other form. */
export const cohereContent = z.strictObject({
  type: z
    .string()
    .superRefine((type, context) => {
      if (type === 'text') return
      context.addIssue({ code: 'custom', message: 'must be "text": static models embed no images' })
    })
    .describe('`text`.'),
  text: text.optional().describe('The text.'),
  image_url: z.unknown().optional().describe('Refused.'),
})

/** A text in Cohere's other form. */
export const cohereInput = z.strictObject({
  content: z.array(cohereContent).length(1).describe('One part, a text.'),
})

/** The body of `POST /v2/embed`, as Cohere's. */
export const cohereEmbedRequest = z
  .strictObject({
    model: z.string().optional().describe('Id of a static model. Default: the service’s default model.'),
    input_type: z
      .enum(['search_document', 'search_query', 'classification', 'clustering', 'image'])
      .optional()
      .describe('What the embeddings are for. It changes nothing; `image` is refused.'),
    texts: textField.optional(),
    inputs: z
      .array(cohereInput)
      .min(1)
      .max(MAX_EMBEDDINGS)
      .optional()
      .describe(
        'The texts in Cohere’s other form, up to 64 KiB of JSON; one of `texts` and `inputs` is given.',
      ),
    images: z.array(z.string()).optional().describe('Refused: static models embed texts alone.'),
    max_tokens: z.int().min(1).optional().describe('Most tokens of a text, if the model takes more.'),
    output_dimension: z.int().min(1).optional().describe('As `dimensions` of /v1/embeddings. Default: all.'),
    embedding_types: z
      .array(z.enum(COHERE_TYPES))
      .min(1)
      .max(COHERE_TYPES.length)
      .default(['float'])
      .describe(
        'One or more forms; `base64` are float32, little-endian. `int8` and `uint8` need the folder’s ranges.',
      ),
    truncate: z
      .enum(['NONE', 'START', 'END'])
      .default('END')
      .describe('What is cut off from a text with too many tokens; `NONE`: it is refused.'),
    priority: z.int().min(0).max(999).optional().describe('It changes nothing.'),
  })
  .superRefine(({ texts, inputs, images, input_type: kind, embedding_types: types }, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message })
    if (images !== undefined) refuse(['images'], 'must not be given: static models embed no images')
    if (kind === 'image') refuse(['input_type'], 'must not be "image": static models embed no images')
    if (texts === undefined && inputs === undefined) refuse(['texts'], 'or `inputs` is needed')
    if (texts !== undefined && inputs !== undefined) refuse(['inputs'], 'must not be given beside `texts`')
    for (const [i, { content }] of (inputs ?? []).entries()) {
      if (content[0]?.type === 'text' && content[0].text === undefined)
        refuse(['inputs', i, 'content', 0, 'text'], 'is needed')
    }
    const again = types.findIndex((type, i) => types.indexOf(type) < i)
    if (again >= 0) refuse(['embedding_types', again], 'must not be given twice')
  })

const ofType = (type: string) => z.array(z.array(z.int())).optional().describe(`Those of ${type}.`)

/** `POST /v2/embed`. */
export const cohereEmbedAnswer = z.strictObject({
  id: z.string().describe('The request’s id.'),
  embeddings: z
    .strictObject({
      float: z.array(z.array(z.number())).optional().describe('Those of float.'),
      int8: ofType('int8'),
      uint8: ofType('uint8'),
      binary: ofType('binary'),
      ubinary: ofType('ubinary'),
      base64: z.array(z.string()).optional().describe('Those of float as base64.'),
    })
    .describe('By type, an embedding for each text.'),
  meta: z.strictObject({
    api_version: z.strictObject({ version: z.literal('2') }),
    billed_units: z.strictObject({ input_tokens: z.int().min(0).describe('Tokens of all texts.') }),
  }),
  response_type: z.literal('embeddings_by_type'),
})

/** Errors of `POST /v2/embed`. */
export const cohereError = z.strictObject({
  message: z.string().describe('Names the field, the rule and the value given.'),
})
