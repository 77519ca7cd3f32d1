import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InletError } from '../../../src/errors.js'
import { run } from '../../../src/first-layer/steps.js'
import { ClientGone } from '../../../src/load/client-gone.js'
import { drive } from '../../../src/load/drive.js'
import type { Given, GivenIds } from '../../../src/wire/given.js'
import { MAX_INT32 } from '../../../src/wire/id-lists.js'
import { longFieldsOf } from '../../../src/wire/json/long-fields.js'
import { readJson } from '../../../src/wire/json/read-json.js'
import { embeddingRequest } from '../../../src/wire/schemas/embedding-request.js'
import { parse } from '../../../src/wire/schemas/issue.js'
import { detokenizeRequest, tokenizeRequest } from '../../../src/wire/schemas/tokenize.js'
import { CountingClaim } from '../../counting-claim.js'
import { checkProperty } from '../../property.js'
import { type PlainGiven, withGiven } from '../../twins/given.js'
import { body, brokenBody } from './json-text.js'

const MAX_DOCUMENTS = 1000
const EMBEDDING_FIELDS = longFieldsOf(embeddingRequest)

const SHAPES = {
  'input-embeddings': { schema: embeddingRequest, isSingle: false },
  tokenize: { schema: tokenizeRequest, isSingle: false },
  detokenize: { schema: detokenizeRequest, isSingle: true },
}

type Shape = (typeof SHAPES)[keyof typeof SHAPES]

function inSteps(text: string, fields = EMBEDDING_FIELDS, maxDocuments = MAX_DOCUMENTS): unknown {
  return run(readJson(Buffer.from(text), fields, maxDocuments))
}

/** The fields in their plain forms, or the error. */
function outcome(read: () => unknown, { schema }: Shape) {
  try {
    const fields = Object.entries(parse(schema, read()) as object)
    return { fields: fields.map(([name, value]) => [name, plain(value)]) }
  } catch (error) {
    if (error instanceof SyntaxError) return { code: 'invalid_json' }
    if (!(error instanceof InletError)) throw error
    const { code, message, param } = error
    return code === 'invalid_json' ? { code } : { code, message, param }
  }
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('makeDocuments' in value)) return value
  if ('value' in value) return plainValue((value as PlainGiven).value)
  return (value as Given).makeDocuments<unknown>({
    ofTexts: (texts) => (texts.isList ? Array.from(texts, textOf) : textOf([...texts][0]!)),
    ofIds: plainIds,
    ofChunks: () => undefined,
  })
}

function plainIds(ids: GivenIds): unknown {
  const { documents, isList } = ids
  const lists = Array.from({ length: documents.count }, (_, d) => {
    const list = new Int32Array(documents.length(d))
    documents.copyTo(list, 0, d, 0, list.length)
    return [...list]
  })
  expect(documents.longest).toBe(Math.max(...lists.map(({ length }) => length)))
  const large = lists.flat().indexOf(MAX_INT32)
  return { ids: isList ? lists : lists[0], large: large < 0 ? undefined : ids.at(large) }
}

/** The same of what JSON.parse gives: an id beyond int32 is the largest int32, and the first such is kept too. */
function plainValue(value: unknown): unknown {
  if (!Array.isArray(value) || typeof value.flat()[0] !== 'number') return value
  const int32 = (id: number) => Math.min(id, MAX_INT32) + 0
  const ids = Array.isArray(value[0]) ? value.map((list) => list.map(int32)) : value.map(int32)
  return { ids, large: value.flat().find((id) => id >= MAX_INT32) }
}

function textOf(text: { toString(): string; pieces(): Iterable<Uint8Array> }): string {
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
        const fields = longFieldsOf(shape.schema)
        const twin = () => withGiven(JSON.parse(text), [...fields.keys()], shape.isSingle)
        const stepwise = outcome(() => inSteps(text, fields), shape)
        expect(stepwise).toEqual(outcome(twin, shape))
      }),
      300,
    )
  })
})

describe('a body read in steps', () => {
  const errorOf = (text: string, maxDocuments?: number) => {
    try {
      inSteps(text, EMBEDDING_FIELDS, maxDocuments)
      return undefined
    } catch (error) {
      const { code, message } = error as InletError
      return `${code}: ${message}`
    }
  }

  test('is refused at the byte where it ceases to be JSON', async () => {
    const json = '{"text": ["a\\u00e9", "日"], "x": [-1.5e+3, true, null, {"y": []}], "input_ids": [1, [2]]}'
    const bytes = Buffer.from(json)
    expect(errorOf(json)).toBeUndefined()
    for (let at = 0; at < bytes.length; at++) {
      const [start, rest] = [bytes.subarray(0, at), bytes.subarray(at)]
      if ((bytes[at] & 0xc0) === 0x80) continue // within a character
      const broken = Buffer.concat([start, Buffer.from('\u0001'), rest]).toString()
      expect(errorOf(broken)).toBe(`invalid_json: The body must be JSON: unexpected "\\u0001" at byte ${at}.`)
      const end = `invalid_json: The body must be JSON: it ends too early at byte ${at}.`
      expect(errorOf(start.toString())).toBe(end)
    }
  })

  test('is refused for what comes first, what is no JSON or what is too much', async () => {
    expect(errorOf('{"input_ids":[[1],[2],[3],x', 2)).toMatch(/^invalid_request.*at most 2 documents/)
    expect(errorOf('{"input_ids":[[1],x,[2],[3]', 2)).toMatch(/^invalid_json.*byte 18/)
    expect(errorOf('{"text":["a","b","c"],x', 2)).toMatch(/^invalid_request.*at most 2 documents/)
    expect(errorOf('{"text":["a",0,{}],x', 2)).toMatch(/^invalid_request.*at most 2 documents/)
    expect(errorOf('{"input_ids":[1,2,3],"text":["a","b"]}', 2)).toBeUndefined()
  })

  test('reserves 4 bytes an id and 8 a document, before it takes them, and no more in the end', async () => {
    const claim = new CountingClaim()
    const lists = Array.from({ length: 5000 }, (_, i) => Array(20).fill(i))
    const json = JSON.stringify({ token_type_ids: lists, input_ids: lists, model: 'x' })
    const { input_ids: ids } = (await drive(claim, readJson(Buffer.from(json), EMBEDDING_FIELDS, 5000))) as {
      input_ids: GivenIds
    }
    expect(ids.documents.totalTokens).toBe(100_000)
    expect(claim.taken).toBe(2 * (4 * 100_000 + 8 * 5000))
  })

  test('gives back what a doubled key has replaced', async () => {
    const claim = new CountingClaim()
    const ids = `[${'1,'.repeat(50_000)}1]`
    const json = `{"input_ids":${ids},"input_ids":[1]}`
    await drive(claim, readJson(Buffer.from(json), EMBEDDING_FIELDS, 1))
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
    const read = async (size: number, claim: CountingClaim) =>
      drive(claim, readJson(Buffer.from(make(size)), EMBEDDING_FIELDS, size))
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

describe('a number', () => {
  const NUMBERS = [
    '0',
    '7',
    '10',
    '999999999',
    '1234567890',
    '9007199254740993',
    '-4',
    '-0',
    '1.5',
    '1e3',
    '0.0',
  ]
  test.each(NUMBERS)('is what JSON.parse makes of it: %s', (number) => {
    expect(inSteps(`{"stride":${number},"x":[${number}]}`)).toEqual({
      stride: JSON.parse(number),
      x: [JSON.parse(number)],
    })
  })

  test.each(['01', '00', '007', '-01', '1.', '.5', '1e', '+1', '0x1', '1a', '1 2'])(
    'that JSON does not have is refused: %s',
    (number) => {
      for (const text of [`{"stride":${number}}`, `{"stride":${number},"epoch":1}`, `{"x":[${number}]}`]) {
        expect(() => inSteps(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }))
      }
    },
  )
})

test('an object has at most 256 members, whatever the size of the body', () => {
  const object = (count: number, value: string) =>
    `{${Array.from({ length: count }, (_, i) => `"m${i}":${value}`)}}`
  for (const value of ['1', JSON.stringify('x'.repeat(100))]) {
    expect(Object.keys(inSteps(object(256, value)) as object)).toHaveLength(256)
    expect(() => inSteps(object(257, value))).toThrow(/at most 256 keys/)
  }
})
