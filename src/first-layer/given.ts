import { z } from 'zod'
import { type ErrorCode, shown } from './errors.js'
import { IdLists, notAnId } from './windows/id-lists.js'

/** Most texts, or lists of ids, of one request for embeddings. */
export const MAX_EMBEDDINGS = 2048

const TOKEN_ID = { $ref: '#/components/schemas/TokenId' }
const TEXT = { type: 'string', minLength: 1 } as const
const TEXTS = { type: 'array', minItems: 1, items: TEXT } as const
const IDS = { type: 'array', minItems: 1, items: TOKEN_ID } as const
const ID_LISTS = { type: 'array', minItems: 1, items: IDS } as const

/** Refuses a value at a path within the field: `[1, 0]`. */
type Refuse = (path: readonly number[], message: string, value?: unknown, code?: ErrorCode) => never

function readTexts(value: unknown, refuse: Refuse): GivenTexts {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return refuseEmpty([], value, refuse)
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return refuse([], 'must be a string or an array of strings', value)
  const wrong = value.findIndex((text) => typeof text !== 'string' || text === '')
  if (wrong < 0) return value
  if (value[wrong] === '') return refuseEmpty([wrong], '', refuse)
  return refuse([wrong], 'must be a string', value[wrong])
}

function refuseEmpty(path: readonly number[], value: unknown, refuse: Refuse): never {
  return refuse(path, 'must not be empty', value, 'empty_input')
}

function readIds(value: unknown, refuse: Refuse): IdLists {
  if (Array.isArray(value) && isIdList(value[0])) return idLists(new IdLists(true), value, refuse)
  if (isIdList(value)) return idLists(new IdLists(), [value], refuse)
  return refuse([], 'must be an array of integers, or of such arrays', value)
}

/** Scripts may have ids in a typed array. */
function isIdList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value)
}

function idLists(lists: IdLists, given: readonly unknown[], refuse: Refuse): IdLists {
  for (const [i, list] of given.entries()) {
    const path = lists.isList ? [i] : []
    if (!isIdList(list)) return refuse(path, 'must be an array of integers', list)
    if (list.length === 0) return refuseEmpty(path, list, refuse)
    const wrong = lists.add(list)
    if (wrong >= 0) return refuse([...path, wrong], notAnId(list[wrong])!, list[wrong])
  }
  return lists
}

/** A field whose value is read by a loop; the schema reports the first fault. */
export function givenField<Value>(read: (value: unknown, refuse: Refuse) => Value) {
  return z.custom<Value>().transform((value: unknown, context): Value => {
    const refuse: Refuse = (path, message, wrong, code) => {
      const params = wrong === undefined ? {} : { given: shown(wrong), code }
      context.addIssue({ code: 'custom', path: [...path], message, params })
      return z.NEVER
    }
    return value === undefined ? refuse([], 'is needed') : read(value, refuse)
  })
}

/** A string or an array of strings: one document each. */
export const textField = givenField(readTexts).meta({
  anyOf: [TEXT, TEXTS],
  description: 'Raw text. Each string is one document; a window never crosses documents.',
})

export const idsField = givenField(readIds).meta({
  anyOf: [IDS, ID_LISTS],
  description: 'Token ids, used exactly as given: one document, or an array of them.',
})

/** Refuses a request that brings neither text nor ids, or both, or token types without ids. */
export function refuseInput(
  { text, input_ids: ids, token_type_ids: types }: Readonly<Record<string, unknown>>,
  context: z.core.$RefinementCtx,
): void {
  const refuse = (field: string, message: string, given?: unknown) =>
    context.addIssue({ code: 'custom', path: [field], message, params: given ? { given: shown(given) } : {} })
  if (text === undefined && ids === undefined) refuse('text', 'or `input_ids` is needed')
  if (text !== undefined && ids !== undefined) refuse('input_ids', 'must not be given beside `text`', ids)
  if (types !== undefined && ids === undefined)
    refuse('token_type_ids', 'must not be given without `input_ids`', types)
}

/** A text, texts, the ids of one text, or those of several. */
export const anyInput = givenField<GivenTexts | IdLists>((value, refuse) => {
  if (typeof value === 'string') return readTexts(value, refuse)
  if (!isIdList(value)) return refuse([], 'must be a string or an array', value)
  return typeof value[0] === 'string' ? readTexts(value, refuse) : readIds(value, refuse)
})

export const inputField = anyInput
  .refine((given) => countOf(given) <= MAX_EMBEDDINGS, `must have at most ${MAX_EMBEDDINGS} elements`)
  .meta({
    anyOf: [TEXT, { ...TEXTS, maxItems: MAX_EMBEDDINGS }, IDS, { ...ID_LISTS, maxItems: MAX_EMBEDDINGS }],
    description: 'A text, texts, the ids of a text, or those of several: an embedding for each.',
  })

/** A whole text: a string of a JSON body, or UTF-8 of a binary one. */
export type Text = string | Uint8Array

/** One text, or several: a document each. */
export type GivenTexts = Text | readonly Text[]

/** Documents as a request brings them: texts, ids, or the chunks of one text, in UTF-8, of which nothing has been read. */
export type Given = GivenTexts | IdLists | AsyncIterable<Uint8Array>

export function isList(texts: GivenTexts): texts is readonly Text[] {
  return Array.isArray(texts)
}

export function countOf(given: Given): number {
  if (given instanceof IdLists) return given.count
  return Array.isArray(given) ? given.length : 1
}
