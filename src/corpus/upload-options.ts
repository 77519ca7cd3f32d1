import { z } from 'zod'
import { ID_DTYPES, type IdDtypeName } from '../first-layer/datasets/id-dtypes.js'
import { invalidField } from '../first-layer/errors.js'
import { customForms } from '../first-layer/options/fields.js'
import { queryReader } from '../first-layer/options/query.js'
import { tokenizeOptions } from '../first-layer/options/tokenize.js'
import { MAX_INT32 } from '../first-layer/windows/id-lists.js'
import { type DocumentMark, MARKS } from './document-frame.js'

export const UPLOAD_TYPES = ['text/plain', 'application/x-ndjson', 'application/octet-stream'] as const
export type UploadType = (typeof UPLOAD_TYPES)[number]

const [TEXT, NDJSON, IDS] = UPLOAD_TYPES

const MAX_NAME = 256
const IDS_FIELD = 'input_ids'

const tokenId = z.int().min(0).max(MAX_INT32)

const documentMark = z
  .custom<DocumentMark>()
  .superRefine((value: unknown, context) => {
    if (MARKS.includes(value as (typeof MARKS)[number]) || tokenId.safeParse(value).success) return
    const message = `must be an integer from 0 to ${MAX_INT32}, or one of ${MARKS.join(', ')}`
    context.addIssue({ code: 'custom', message })
  })
  .meta({ type: 'string', pattern: `^([0-9]+|${MARKS.join('|')})$` }) // one type: a query string has no other
  .register(customForms, { kind: 'integer', words: [...MARKS] })

/** A field of chats: its names, the first of which is the default. */
const choice = <const Names extends readonly string[]>(names: Names, means: string) =>
  z
    .enum(names)
    .optional()
    .describe(`Chats: ${names.map((name) => `\`${name}\``).join(', ')}: ${means} Default: the first.`)

/** Why `turns` cannot be had of a mask; undefined where it can. */
export function turnsRefusal({ mask, turns }: { mask?: string | undefined; turns?: string | undefined }) {
  const isPart = (mask === 'tags' || mask === 'all') && (turns === 'each' || turns === 'last')
  return isPart ? `must be whole or auto where \`mask\` is ${mask}` : undefined
}

export const datasetUpload = z
  .strictObject({
    encoding: z.string().optional().describe('Name of the encoding that makes ids of text.'),
    model: z
      .string()
      .optional()
      .describe('Id of the model whose tokenizer makes ids of text, instead of `encoding`.'),
    allowed_special: tokenizeOptions.allowed_special,
    document_start: documentMark
      .optional()
      .describe('An id put before each document, or `bos`, as nanochat and Llama have it. Default: none.'),
    document_end: documentMark
      .optional()
      .describe(
        'An id appended to each document; or `endoftext`: `<|endoftext|>` where that is a token, else the tokenizer’s end of text; `eos`, `bos`: the tokenizer’s. Default: none.',
      ),
    documents: z
      .enum(['one', 'lines'])
      .optional()
      .describe('text/plain: one document (default), or one a line; empty lines are none.'),
    text_field: z
      .string()
      .min(1)
      .max(MAX_NAME)
      .optional()
      .describe('application/x-ndjson: the member that has a line’s text. Default: `text`.'),
    dtype: z
      .enum(Object.keys(ID_DTYPES) as [IdDtypeName, ...IdDtypeName[]])
      .optional()
      .describe('application/octet-stream: the type of the ids, little-endian.'),
    separator_id: tokenId
      .optional()
      .describe('application/octet-stream: a document ends after each of these ids. Default: one document.'),
    mask: choice(
      ['sampled', 'tags', 'all'],
      'what the model would have sampled is trained; `{% generation %}` blocks; all.',
    ),
    turns: choice(
      ['auto', 'whole', 'each', 'last'],
      '`whole` where that is exact, else `each`; a document a chat; a turn; the last.',
    ),
    trailing: choice(['mask', 'train'], 'what the template writes after the end of a turn.'),
    refused: choice(
      ['error', 'skip'],
      'a chat without an exact mask is an error, or is left out and counted.',
    ),
    chat_template: z.string().min(1).optional().describe('Chats: the name of one of the model’s templates.'),
    name: z.string().min(1).max(MAX_NAME).optional().describe('A name for people.'),
  })
  .superRefine(({ model, encoding, text_field, ...chats }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (model !== undefined && encoding !== undefined) refuse('encoding', 'must not be given beside `model`')
    const refusal = turnsRefusal(chats)
    if (refusal !== undefined) refuse('turns', refusal)
    if (text_field === IDS_FIELD) refuse('text_field', `must not be \`${IDS_FIELD}\`, which has a line’s ids`)
  })

export type DatasetUpload = z.output<typeof datasetUpload>

const readQuery = queryReader(datasetUpload)

const FITTING = {
  allowed_special: [TEXT, NDJSON],
  documents: [TEXT],
  text_field: [NDJSON],
  ...{ mask: [NDJSON], turns: [NDJSON], trailing: [NDJSON], refused: [NDJSON], chat_template: [NDJSON] },
  dtype: [IDS],
  separator_id: [IDS],
} as const satisfies Partial<Record<keyof DatasetUpload, readonly UploadType[]>>

/**
 * Reads the query beside a body of this type.
 * @throws InletError `invalid_request` for a field that is wrong, does not fit the type, or is missing
 */
export function readDatasetUpload(query: string, type: UploadType): DatasetUpload {
  const upload = readQuery(query)
  for (const [field, types] of Object.entries(FITTING)) {
    const value = upload[field as keyof typeof FITTING]
    if (value === undefined || (types as readonly UploadType[]).includes(type)) continue
    throw invalidField(field, `must not be given beside ${type}: it is for ${types.join(' and ')}`, value)
  }
  if (type === IDS && upload.dtype === undefined)
    throw invalidField('dtype', `is needed beside ${type}`, undefined)
  if (upload.encoding === undefined && upload.model === undefined) {
    if (type === TEXT) throw invalidField('encoding', `or \`model\` is needed beside ${type}`, undefined)
    for (const field of ['allowed_special', 'document_start', 'document_end'] as const) {
      const value = upload[field]
      if (value === undefined || typeof value === 'number') continue
      throw invalidField(field, 'must not be given without `encoding` or `model`', value)
    }
  }
  return upload
}
