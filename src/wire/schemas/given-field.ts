import { z } from 'zod'
import type { Given, GivenIds, GivenTexts } from '../given.js'
import {
  asLongField,
  type LongField,
  longIdLists,
  longIds,
  longInput,
  longTexts,
} from '../json/long-fields.js'

/** Most texts, or lists of ids, of one request for embeddings. */
export const MAX_EMBEDDINGS = 2048

const TOKEN_ID = { $ref: '#/components/schemas/TokenId' }
const TEXT = { type: 'string', minLength: 1 } as const
const TEXTS = { type: 'array', minItems: 1, items: TEXT } as const
const IDS = { type: 'array', minItems: 1, items: TOKEN_ID } as const
const ID_LISTS = { type: 'array', minItems: 1, items: IDS } as const

/** Documents as a request gives them, which their reader has checked: the schema reports the first fault. */
function givenField<Value extends Given>(
  long: LongField,
  most = Number.POSITIVE_INFINITY,
  missing = 'is needed',
) {
  const field = z.custom<Value>().superRefine((given: Given | undefined, context) => {
    const refuse = (message: string, params?: object, path: number[] = []) =>
      context.addIssue({ code: 'custom', path, message, ...(params && { params }) })
    if (given === undefined) return refuse(missing)
    const { fault } = given
    if (fault !== undefined) {
      const { path, message, ...params } = fault
      refuse(message, { ...params, complete: fault.given === undefined }, [...path])
    } else if (given.count > most) {
      refuse(`must have at most ${most} elements`, { given: `an array of ${given.count}` })
    }
  })
  return asLongField(field, long)
}

/** A string or an array of strings: one document each. */
export const textField = givenField<GivenTexts>(longTexts).meta({
  anyOf: [TEXT, TEXTS],
  description: 'Raw text. Each string is one document; a window never crosses documents.',
})

/** Texts that get an embedding each. */
export const textsField = givenField<GivenTexts>(longTexts, MAX_EMBEDDINGS).meta({
  ...{ ...TEXTS, maxItems: MAX_EMBEDDINGS },
  description: 'The texts: an embedding for each.',
})

/** Integers from 0: one document. */
export function idList(description: string) {
  const most = Number.POSITIVE_INFINITY
  return givenField<GivenIds>(longIds, most, 'must be an array of integers').meta({ ...IDS, description })
}

/** Integers from 0, or arrays of them, one per document. */
export function idsField(description: string) {
  return givenField<GivenIds>(longIdLists).meta({ anyOf: [IDS, ID_LISTS], description })
}

/** A text, texts, the ids of one text, or those of several. */
export const inputField = givenField<Given>(longInput, MAX_EMBEDDINGS).meta({
  anyOf: [TEXT, { ...TEXTS, maxItems: MAX_EMBEDDINGS }, IDS, { ...ID_LISTS, maxItems: MAX_EMBEDDINGS }],
  description: 'A text, texts, the ids of a text, or those of several: an embedding for each.',
})
