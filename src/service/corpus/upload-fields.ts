import { z } from 'zod'
import { ID_DTYPES, type IdDtypeName } from '../../first-layer/datasets/id-dtypes.js'
import { nameOf, type Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { InletError, shown } from '../answer/error-table.js'
import { MAX_INT32 } from '../request/body/id-lists.js'
import { queryReader } from '../request/body/query.js'
import { allowedSpecialField } from '../request/fields/embedding-request.js'
import { customForms } from '../request/fields/fields.js'

export const UPLOAD_TYPES = ['text/plain', 'application/x-ndjson', 'application/octet-stream'] as const
export type UploadType = (typeof UPLOAD_TYPES)[number]

const [TEXT, NDJSON, IDS] = UPLOAD_TYPES

/** The name of the tokenizer's own end of text, in place of an id. */
export const END_OF_TEXT = 'endoftext'

const MAX_NAME = 256
const MAX_FIELD = 256
const IDS_FIELD = 'input_ids'

const tokenId = z.int().min(0).max(MAX_INT32)

const documentEndField = z
  .custom<number | typeof END_OF_TEXT>()
  .superRefine((value: unknown, context) => {
    if (value === END_OF_TEXT || tokenId.safeParse(value).success) return
    const message = `must be an integer from 0 to ${MAX_INT32}, or "${END_OF_TEXT}"`
    context.addIssue({ code: 'custom', message })
  })
  .meta({ type: 'string', pattern: `^([0-9]+|${END_OF_TEXT})$` }) // one type: a query string has no other
  .register(customForms, { kind: 'integer', words: [END_OF_TEXT] })

export const datasetUpload = z
  .strictObject({
    encoding: z.string().optional().describe('Name of the encoding that makes ids of text.'),
    model: z
      .string()
      .optional()
      .describe('Id of the model whose tokenizer makes ids of text, instead of `encoding`.'),
    allowed_special: allowedSpecialField,
    document_end: documentEndField
      .optional()
      .describe('An id appended to each document, or `endoftext`: the tokenizer’s own. Default: none.'),
    documents: z
      .enum(['one', 'lines'])
      .optional()
      .describe('text/plain: one document (default), or one a line; empty lines are none.'),
    text_field: z
      .string()
      .min(1)
      .max(MAX_FIELD)
      .optional()
      .describe('application/x-ndjson: the member that has a line’s text. Default: `text`.'),
    dtype: z
      .enum(Object.keys(ID_DTYPES) as [IdDtypeName, ...IdDtypeName[]])
      .optional()
      .describe('application/octet-stream: the type of the ids, little-endian.'),
    separator_id: tokenId
      .optional()
      .describe('application/octet-stream: a document ends after each of these ids. Default: one document.'),
    name: z.string().min(1).max(MAX_NAME).optional().describe('A name for people.'),
  })
  .superRefine(({ model, encoding, text_field }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (model !== undefined && encoding !== undefined) refuse('encoding', 'must not be given beside `model`')
    if (text_field === IDS_FIELD) refuse('text_field', `must not be \`${IDS_FIELD}\`, which has a line’s ids`)
  })

export type DatasetUpload = z.output<typeof datasetUpload>

const readQuery = queryReader(datasetUpload)

const FITTING = {
  allowed_special: [TEXT, NDJSON],
  documents: [TEXT],
  text_field: [NDJSON],
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
    throw refused(field, `must not be given beside ${type}: it is for ${types.join(' and ')}`, value)
  }
  if (type === IDS && upload.dtype === undefined)
    throw refused('dtype', `is needed beside ${type}`, undefined)
  if (upload.encoding === undefined && upload.model === undefined) {
    if (type === TEXT) throw refused('encoding', `or \`model\` is needed beside ${type}`, undefined)
    for (const field of ['allowed_special', 'document_end'] as const) {
      const value = upload[field]
      if (value === undefined || typeof value === 'number') continue
      throw refused(field, 'must not be given without `encoding` or `model`', value)
    }
  }
  return upload
}

/**
 * The id that an upload appends to each document: `endoftext` in `gpt2` → 50256; undefined: none.
 * @param tokenizer undefined: the upload has ids alone
 * @throws InletError `invalid_request` for `endoftext` where the tokenizer has none; `token_out_of_range` for
 *   an id that the tokenizer does not have
 */
export function documentEndOf(
  given: number | typeof END_OF_TEXT | undefined,
  tokenizer: Tokenizer | undefined,
): number | undefined {
  const name = tokenizer === undefined ? 'ids alone' : nameOf(tokenizer)
  if (given === END_OF_TEXT) {
    if (tokenizer?.endOfText !== undefined) return tokenizer.endOfText
    throw refused('document_end', `must be an id: there is no end of text for ${name}`, given)
  }
  if (given === undefined || tokenizer === undefined || given < tokenizer.vocabSize) return given
  const rule = `must be below ${tokenizer.vocabSize}, the number of ids of ${name}`
  throw refused('document_end', rule, given, 'token_out_of_range')
}

function refused(
  field: string,
  rule: string,
  given: unknown,
  code: 'invalid_request' | 'token_out_of_range' = 'invalid_request',
): InletError {
  return new InletError(code, `\`${field}\` ${rule}. Given: ${shown(given)}`, field)
}
