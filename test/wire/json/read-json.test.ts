import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InletError } from '../../../src/errors.js'
import { UNBOUNDED } from '../../../src/load/claim.js'
import { IdLists } from '../../../src/wire/id-lists.js'
import type { LongFields } from '../../../src/wire/json/long-fields.js'
import { LongText } from '../../../src/wire/json/long-text.js'
import { LongTexts } from '../../../src/wire/json/long-texts.js'
import { readJson } from '../../../src/wire/json/read-json.js'
import { embeddingLongFields, embeddingRequest } from '../../../src/wire/schemas/embedding-request.js'
import { parse } from '../../../src/wire/schemas/issue.js'
import {
  detokenizeLongFields,
  detokenizeRequest,
  tokenizeLongFields,
  tokenizeRequest,
} from '../../../src/wire/schemas/tokenize.js'
import { checkProperty } from '../../property.js'
import { body, brokenBody } from './json-text.js'

const MAX_DOCUMENTS = 1000

const SHAPES = {
  'input-embeddings': { schema: embeddingRequest, longFields: embeddingLongFields },
  tokenize: { schema: tokenizeRequest, longFields: tokenizeLongFields },
  detokenize: { schema: detokenizeRequest, longFields: detokenizeLongFields },
}

type Shape = (typeof SHAPES)[keyof typeof SHAPES]

function inSteps(text: string, longFields: LongFields = embeddingLongFields, maxDocuments = MAX_DOCUMENTS) {
  return readJson(Buffer.from(text), longFields, maxDocuments, UNBOUNDED)
}

/** What a way of reading comes to: the fields in their plain forms, or the error. */
async function outcome(read: () => Promise<unknown>, { schema }: Shape) {
  try {
    const fields = Object.entries(parse(schema, await read()) as object)
    return { fields: fields.map(([name, value]) => [name, plain(value)]) }
  } catch (error) {
    if (error instanceof SyntaxError) return { code: 'invalid_json' }
    if (!(error instanceof InletError)) throw error
    const { code, message, param } = error
    return code === 'invalid_json' ? { code } : { code, message, param }
  }
}

function plain(value: unknown): unknown {
  if (value instanceof LongText) return textOf(value)
  if (value instanceof LongTexts) return [...value].map(textOf)
  if (!(value instanceof IdLists)) return value
  const { documents, isNested } = value
  const lists: number[][] = []
  for (let d = 0; d < documents.count; d++) {
    const list = new Int32Array(documents.length(d))
    documents.copyTo(list, 0, d, 0, list.length)
    lists.push([...list])
  }
  return {
    isNested,
    lists,
    given: Array.from({ length: value.length }, (_, place) => value.at(place)),
    longest: documents.longest,
  }
}

function textOf(text: LongText): string {
  const whole = Buffer.concat([...text.pieces()].map((piece) => Buffer.from(piece))).toString()
  expect(text.toString()).toBe(whole)
  return whole
}

describe.each(Object.entries(SHAPES))('a body of %s, read in steps', (_, shape) => {
  test.each([
    ['right or wrong', body],
    ['with a character too many, too few or another', brokenBody],
  ])('means what it means to JSON.parse: %s', async (_name, bodies) => {
    await checkProperty(
      fc.asyncProperty(bodies, async (text) => {
        const stepwise = await outcome(() => inSteps(text, shape.longFields), shape)
        expect(stepwise).toEqual(await outcome(async () => JSON.parse(text), shape))
      }),
      1500,
    )
  })
})
