import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { DocumentFrame } from '../../src/corpus/document-writer.js'
import { ingestNdjson, type NdjsonUpload } from '../../src/corpus/ingest-ndjson.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import type { Tokenizer } from '../../src/first-layer/tokens/tokenizer.js'
import { tokenizerTexts } from '../first-layer/tokens/tokenizer-texts.js'
import { checkProperty } from '../property.js'
import { alone, Collected, cut, intake, Pauses, sizes } from './collected.js'

const END = '<|endoftext|>'
const allowedSpecial = new Set([END])
const LIMIT = 1 << 20

let gpt2: Tokenizer
beforeAll(async () => {
  gpt2 = await loadEncoding('gpt2')
})

function upload(more: Partial<NdjsonUpload & DocumentFrame> = {}): NdjsonUpload & DocumentFrame {
  return {
    text: { tokenizer: gpt2, allowedSpecial },
    textField: 'text',
    idLimit: 50_257,
    maxLineBytes: LIMIT,
    ...more,
  }
}

async function documentsOf(
  body: string | Buffer,
  more: Partial<NdjsonUpload & DocumentFrame> = {},
  at?: readonly number[],
) {
  const sink = new Collected()
  const { numCharacters } = await intake(ingestNdjson, cut(body, at), upload(more), sink)
  return { documents: sink.documents, numCharacters }
}

describe('documents of lines of JSON', () => {
  const text = fc.oneof(
    tokenizerTexts,
    fc.constantFrom('', 'a\n"b"\\', END, 'x'.repeat(6000), 'é\n'.repeat(40_000)),
  )
  const ids = fc.array(fc.oneof(fc.integer({ min: 0, max: 50_256 })), { maxLength: 20 })
  const document = fc.oneof(
    fc.record({ text: text.filter((each) => each.isWellFormed()) }),
    fc.record({ input_ids: ids }),
  )
  const others = fc.dictionary(
    fc.constantFrom('a', 'meta', '__proto__', 'x"y'),
    fc.jsonValue({ maxDepth: 4 }),
    { maxKeys: 2 },
  )
  const line = fc.tuple(
    others,
    document,
    fc.constantFrom('', ' ', '\r', '\t\r'),
    fc.constantFrom('', '\n', ' \r\n'),
  )

  test('are those of each line by itself, however the body is cut', async () => {
    await checkProperty(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        sizes,
        fc.boolean(),
        async (lines, at, isSlow) => {
          const json = lines.map(([others, document, space, blank]) => {
            const escaped = JSON.stringify({ ...others, ...document }).replace(
              /[é中]/g,
              (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
            )
            return `${escaped}${space}\n${blank}`
          })
          const sink = new Collected(isSlow)
          const { numCharacters } = await intake(ingestNdjson, cut(json.join(''), at), upload(), sink)
          const expected = await Promise.all(
            lines.map(async ([, document]) =>
              'text' in document
                ? alone(gpt2, document.text, allowedSpecial)
                : { ids: document.input_ids, characters: 0 },
            ),
          )
          expect(sink.documents).toEqual(expected.map((each) => each.ids))
          expect(numCharacters).toBe(expected.reduce((sum, { characters }) => sum + characters, 0))
        },
      ),
      20,
    )
  })

  test('have the text of the named member; others are skipped, however long they are', async () => {
    const long = JSON.stringify([['x'.repeat(100_000)], { a: '\ud800', b: [0.5, -1, true, null] }])
    const body = `{"text":1,"meta":${long},"body":"a","z":${long}}\n{"body":"b"}`
    expect((await documentsOf(body, { textField: 'body' })).documents).toEqual([[64], [65]])
  })

  test('may have nulls where other lines have what is refused, as writers of tables fill rows up', async () => {
    const line = '{"text":"a","labels":null,"messages":null}'
    expect((await documentsOf(line)).documents).toEqual((await documentsOf('{"text":"a"}')).documents)
  })

  test('may be empty, and get an id appended then too', async () => {
    const body = '{"text":""}\n\n{"input_ids":[]}\n{"input_ids":[7]}\n{"text":"a"}'
    expect((await documentsOf(body)).documents).toEqual([[], [], [7], [64]])
    expect((await documentsOf(body, { documentEnd: 9 })).documents).toEqual([[9], [9], [7, 9], [64, 9]])
    const framed = await documentsOf(body, { documentStart: 8, documentEnd: 9 })
    expect(framed.documents).toEqual([
      [8, 9],
      [8, 9],
      [8, 7, 9],
      [8, 64, 9],
    ])
  })

  test('may have numbers in other members as Python writes them', async () => {
    const body = '{"text":"a","score":NaN,"loss":[-Infinity,Infinity]}\n{"input_ids":[7],"NaN":"NaN","x":NaN}'
    expect((await documentsOf(body)).documents).toEqual([[64], [7]])
  })

  test('are ids of any size below 2^31 where there is no encoding', async () => {
    const body = '{"input_ids":[2147483647,2147483647,0]}'
    const { documents } = await documentsOf(body, { text: undefined, idLimit: undefined })
    expect(documents).toEqual([[2147483647, 2147483647, 0]])
  })
})

describe('a line is refused', () => {
  const SHORT = 1 << 17
  const long = `,"z":"${'z'.repeat(70_000)}"`
  test.each([
    ['{"text":"a"', 'invalid_json', /^Line 3 must be JSON: .*\.$/],
    ['{"text":"a",}', 'invalid_json', /^Line 3 must be JSON: .*\.$/],
    [`{"a":NaN,"b":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'invalid_request', /^Line 3 must be nested/],
    ['{"text":"a"} x', 'invalid_json', /^Line 3 must be JSON: .*\.$/],
    ['{"text":"a","b":tru}', 'invalid_json', /^Line 3 must be JSON/],
    [`{"text":"a","b":[1,{"c":tru}]${long}}`, 'invalid_json', /^Line 3 must be JSON/],
    ['[]', 'invalid_request', /^Line 3: the line must be an object\. Given: an empty array$/],
    ['{"txt":"a"}', 'invalid_request', /^Line 3: `text` or `input_ids` is needed\./],
    [
      '{"text":"a","input_ids":[1]}',
      'invalid_request',
      /^Line 3: `input_ids` must not be given beside `text`\. Given: an array of 1$/,
    ],
    ['{"text":4}', 'invalid_request', /^Line 3: `text` must be a string\. Given: 4$/],
    ['{"text":["a"]}', 'invalid_request', /^Line 3: `text` must be a string\./],
    ['{"input_ids":[1,2.5]}', 'invalid_request', /^Line 3: `input_ids.1` must be an integer/],
    ['{"input_ids":[-1]}', 'invalid_request', /^Line 3: `input_ids.0` must be at least 0\. Given: -1$/],
    ...[
      ...['labels', 'loss_mask', 'attention_mask', 'messages', 'token_type_ids', 'assistant_masks'],
      ...[
        'completion_mask',
        'mask',
        'conversations',
        'position_ids',
        'text_b',
        'text2',
        'chosen',
        'completion',
      ],
    ].flatMap((name): [string, string, RegExp][] => [
      [
        `{"input_ids":[1],"${name}":[1]}`,
        'invalid_request',
        new RegExp(`^Line 3: \`${name}\` must not be given: a dataset`),
      ],
    ]),
    ['{"input_ids":[[1]]}', 'invalid_request', /^Line 3: `input_ids.0`/],
    [
      '{"text":"a\\ud800"}',
      'invalid_unicode',
      /^Line 3: `text` must be Unicode text: a lone surrogate U\+D800 stands at UTF-16 index 1/,
    ],
    [
      '{"input_ids":[1,50257]}',
      'token_out_of_range',
      /^Line 3: `input_ids.1` must be below 50257, .* Given: 50257$/,
    ],
    ['{"input_ids":[1,9007199254740991]}', 'token_out_of_range', /Given: 9007199254740991$/],
    [
      `{"a":${'['.repeat(70)}${']'.repeat(70)}${long}}`,
      'invalid_request',
      /^Line 3 must be nested at most 64 deep\. Given: one more at byte 68$/,
    ],
    [`{"text":"${'a'.repeat(SHORT)}"}`, 'body_too_large', /^Line 3: the line must be at most 131072 bytes/],
  ])('by its number: %.40s', async (line, code, message) => {
    for (const at of [[7], [65_536]])
      await expect(
        documentsOf(`{"text":"a"}\n\n${line}\n{"text":"b"}`, { maxLineBytes: SHORT }, at),
      ).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test('with text where nothing tells how it becomes ids, or an id beyond 2^31', async () => {
    const ids = { text: undefined, idLimit: undefined }
    await expect(documentsOf('{"text":"a"}', ids)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^Line 1: `text` must not be given without `encoding` or `model`/),
      param: 'text',
    })
    await expect(documentsOf('{"input_ids":[2147483647,2147483648]}', ids)).rejects.toMatchObject({
      code: 'token_out_of_range',
      message: expect.stringMatching(
        /^Line 1: `input_ids.1` must be at most 2147483647\. Given: 2147483648$/,
      ),
    })
  })

  test('as the body is, where it is no UTF-8 or has no line', async () => {
    const wrong = Buffer.concat([Buffer.from('{"text":"'), Buffer.of(0xff), Buffer.from('"}')])
    await expect(documentsOf(wrong)).rejects.toMatchObject({
      code: 'invalid_unicode',
      message: expect.stringMatching(/byte 9 /),
    })
    for (const body of ['', '\n \r\n\t'])
      await expect(documentsOf(body)).rejects.toMatchObject({ code: 'empty_input' })
  })
})

describe('lines of JSON of any length and number', () => {
  const BODIES = {
    'short lines': '{"input_ids":[1]}\n'.repeat(50_000),
    'long texts': `{"text":"${'some words \\n'.repeat(80_000)}"}\n`.repeat(4),
    'long ids': `{"input_ids":[${'1, '.repeat(300_000)}2]}\n`.repeat(5),
    'long others': `{"a":[${'{"b":"c"},'.repeat(30_000)}0],"text":"a"}\n`.repeat(10),
    'blank lines': `${' \n'.repeat(1_000_000)}{"text":"a"}`,
  }
  test.each(Object.entries(BODIES))('hold the memory of a line, and pause: %s', async (_, body) => {
    const pauses = new Pauses()
    await intake(ingestNdjson, cut(body), upload(), new Collected(), pauses.pace)
    expect(pauses.count).toBeGreaterThan(3)
    expect(pauses.most).toBeLessThan(12 * LIMIT)
  })
})
