import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InletError } from '../../../src/errors.js'
import { UNBOUNDED } from '../../../src/load/claim.js'
import { ClientGone } from '../../../src/load/client-gone.js'
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
import { CountingClaim } from '../../counting-claim.js'
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
  const whole = Buffer.concat(Array.from(text.pieces(), (piece) => Buffer.from(piece))).toString()
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
      300,
    )
  })
})

describe('a body read in steps', () => {
  const errorOf = (text: string, maxDocuments?: number) =>
    inSteps(text, embeddingLongFields, maxDocuments).then(
      () => undefined,
      (error) => `${error.code}: ${error.message}`,
    )

  test('is refused at the byte where it ceases to be JSON', async () => {
    const json = '{"text": ["a\\u00e9", "日"], "x": [-1.5e+3, true, null, {"y": []}], "input_ids": [1, [2]]}'
    const bytes = Buffer.from(json)
    expect(await errorOf(json)).toBeUndefined()
    for (let at = 0; at < bytes.length; at++) {
      const [start, rest] = [bytes.subarray(0, at), bytes.subarray(at)]
      if ((bytes[at] & 0xc0) === 0x80) continue // within a character
      const broken = Buffer.concat([start, Buffer.from('\u0001'), rest]).toString()
      expect(await errorOf(broken)).toBe(
        `invalid_json: The body must be JSON: unexpected "\\u0001" at byte ${at}.`,
      )
      const end = `invalid_json: The body must be JSON: it ends too early at byte ${at}.`
      expect(await errorOf(start.toString())).toBe(end)
    }
  })

  test('is refused for what comes first, what is no JSON or what is too much', async () => {
    expect(await errorOf('{"input_ids":[[1],[2],[3],x', 2)).toMatch(/^invalid_request.*at most 2 documents/)
    expect(await errorOf('{"input_ids":[[1],x,[2],[3]', 2)).toMatch(/^invalid_json.*byte 18/)
    expect(await errorOf('{"text":["a","b","c"],x', 2)).toMatch(/^invalid_request.*at most 2 documents/)
    expect(await errorOf('{"text":["a",0,{}],x', 2)).toMatch(/^invalid_request.*at most 2 documents/)
    expect(await errorOf('{"input_ids":[1,2,3],"text":["a","b"]}', 2)).toBeUndefined()
  })

  test('reserves 4 bytes an id and 8 a document, before it takes them, and no more in the end', async () => {
    const claim = new CountingClaim()
    const lists = Array.from({ length: 5000 }, (_, i) => Array(20).fill(i))
    const { input_ids: ids } = (await readJson(
      Buffer.from(JSON.stringify({ token_type_ids: lists, input_ids: lists, model: 'x' })),
      embeddingLongFields,
      5000,
      claim,
    )) as { input_ids: IdLists }
    expect(ids.documents.totalTokens).toBe(100_000)
    expect(claim.taken).toBe(2 * (4 * 100_000 + 8 * 5000))
  })

  test('gives back what a doubled key has replaced', async () => {
    const claim = new CountingClaim()
    const ids = `[${'1,'.repeat(50_000)}1]`
    await readJson(Buffer.from(`{"input_ids":${ids},"input_ids":[1]}`), embeddingLongFields, 1, claim)
    expect(claim.taken).toBe(12)
  })

  test.each([
    ['ids', (n: number) => `{"input_ids":[${'1234,'.repeat(n / 5)}1]}`],
    ['lists of ids', (n: number) => `{"input_ids":[${'[1],'.repeat(n / 4)}[1]]}`],
    ['ids behind a wrong one', (n: number) => `{"input_ids":[-1,${'{},'.repeat(n / 3)}1]}`],
    ['text', (n: number) => `{"text":"${'a'.repeat(n)}"}`],
    ['escapes', (n: number) => `{"text":"${'\\u00e9'.repeat(n / 6)}"}`],
    ['texts', (n: number) => `{"text":[${'"a",'.repeat(n / 4)}"a"]}`],
    ['a lone surrogate at the end of a text', (n: number) => `{"text":"${'a'.repeat(n)}\\ud800"}`],
    ['white space', (n: number) => `{"text":${' '.repeat(n)}"a"}`],
  ])('takes the more turns the longer it is, and ends when its caller has gone: %s', async (_, make) => {
    const read = (size: number, claim: CountingClaim) =>
      readJson(Buffer.from(make(size)), embeddingLongFields, size, claim)
    const turnsOf = async (size: number) => {
      const claim = new CountingClaim()
      await read(size, claim)
      return claim.asked
    }
    await turnsOf(2_000_000) // compiled
    const [short, long] = [await turnsOf(200_000), await turnsOf(8_000_000)]
    expect(long).toBeGreaterThan(2)
    expect(long).toBeGreaterThan(short)

    const gone = new CountingClaim()
    gone.leave()
    await expect(read(8_000_000, gone)).rejects.toThrow(ClientGone)
    expect(gone.asked).toBe(1)
  })
})
