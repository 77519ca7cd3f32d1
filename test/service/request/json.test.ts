import { afterEach, describe, expect, test, vi } from 'vitest'
import { checkUnicode, jsonText, MAX_KEYS, MAX_PARTS, parseJson } from '../../../src/first-layer/json.js'
import { MAX_DEPTH } from '../../../src/first-layer/options/query.js'

const MIB = 1 << 20

/** A body of JSON of at most 2 MiB: `part` as often as there is room for it. */
function filled(part: (i: number) => string, open = '[', close = '0]'): Buffer {
  const parts: string[] = []
  for (let i = 0, length = 2; ; i++) {
    const next = part(i)
    length += next.length
    if (length > 2 * MIB) return Buffer.from(`${open}${parts.join('')}${close}`)
    parts.push(next)
  }
}

function read(json: string): unknown {
  const value = parseJson(json)
  checkUnicode(value, json)
  return value
}

function nested(levels: number): Buffer {
  return Buffer.from(`${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`)
}

describe('a body within its bounds', () => {
  test.each([
    ['64 levels', nested(MAX_DEPTH)],
    ['65,536 documents', Buffer.from(JSON.stringify({ text: Array(65_536).fill('a') }))],
    ['65,536 documents of ids', Buffer.from(JSON.stringify({ input_ids: Array(65_536).fill([1]) }))],
    ['2 MiB of ids', filled(() => '1,')],
    ['2 MiB of brackets, quotes and colons in a text', Buffer.from(`["${'[{:\\"'.repeat(400_000)}"]`)],
    ['brackets in a text after a backslash', Buffer.from(JSON.stringify(['\\', '['.repeat(MAX_DEPTH + 1)]))],
    ['keys', Buffer.from(`{${Array.from({ length: MAX_KEYS }, (_, i) => `"${i}":0`)}}`)],
    ['a text of 2 MiB', Buffer.from(JSON.stringify('é🕶\u0001'.repeat(200_000)))],
  ])('is what JSON.parse gives: %s', (_, bytes) => {
    expect(parseJson(jsonText(bytes))).toEqual(JSON.parse(bytes.toString()))
  })
})

describe('a body that would hold its thread', () => {
  afterEach(() => vi.restoreAllMocks())

  test.each([
    ['levels', nested(MAX_DEPTH + 2), `be nested at most ${MAX_DEPTH} deep. Given: one more at byte 192`],
    ['arrays', filled(() => '[],'), `have at most ${MAX_PARTS} arrays, objects and strings`],
    ['objects', filled(() => '{},'), `have at most ${MAX_PARTS} arrays, objects and strings`],
    [
      'short texts',
      filled((i) => `"${i.toString(36)}",`),
      `have at most ${MAX_PARTS} arrays, objects and strings`,
    ],
    ['keys of one object', filled((i) => `"${i}":0,`, '{', '"":0}'), `have at most ${MAX_KEYS} keys`],
    ['keys of many', filled((i) => `{"${i}":0},`), `have at most ${MAX_KEYS} keys`],
  ])('of too many %s is refused before it is parsed', (_, bytes, rule) => {
    const parse = vi.spyOn(JSON, 'parse')
    const error = expect.objectContaining({ code: 'invalid_request', param: null })
    expect(() => jsonText(bytes)).toThrow(error)
    expect(() => jsonText(bytes)).toThrow(`The body must ${rule}`)
    expect(parse).not.toHaveBeenCalled()
  })
})

describe('a body that is no Unicode', () => {
  test.each([
    [Buffer.from([0x22, 0xff, 0x22]), 1],
    [Buffer.from([0x22, 0xe2, 0x82, 0x22]), 1],
    [Buffer.concat([Buffer.from('"日本'), Buffer.from([0xed, 0xa0, 0x80, 0x22])]), 7],
  ])('is refused by its byte: %s', (bytes, at) => {
    const error = {
      code: 'invalid_unicode',
      message: `The body must be UTF-8: byte ${at} is not.`,
      param: null,
    }
    expect(() => jsonText(bytes)).toThrow(expect.objectContaining(error))
  })

  test.each([
    ['{"text":"a\\ud83d"}', 'text', 'D83D', 1],
    ['{"text":["a","\\ud83d\\ude00é\\ude00"]}', 'text.1', 'DE00', 3],
    ['{"text":"a","a":{"b":[1,{"c":"\\uDFFF\\uD800"}]}}', 'a.b.1.c', 'DFFF', 0],
    ['{"a":[{"\\ud800":1}]}', 'a.0.\ufffd', 'D800', 0],
  ])('is refused by its field and its UTF-16 index: %s', (json, param, unit, index) => {
    const rule = `must be Unicode text: a lone surrogate U+${unit} stands at UTF-16 index ${index}`
    const error = { code: 'invalid_unicode', message: `\`${param}\` ${rule}.`, param }
    expect(() => read(json)).toThrow(expect.objectContaining(error))
  })

  test('is none where pairs are escaped, or a backslash is', () => {
    expect(read('["\\ud83d\\ude00","\\\\ud83d"]')).toEqual(['😀', '\\ud83d'])
  })
})

test.each(['', '{', '[1,]', "{'a':1}", '[01]', '"a\n"', '{} {}', '\ufeff{}', 'NaN'])(
  'a text that is not JSON is refused: %j',
  (json) => {
    const error = expect.objectContaining({ code: 'invalid_json', param: null })
    expect(() => parseJson(json)).toThrow(error)
    expect(() => parseJson(json)).toThrow(/^The body must be JSON: .+[^)]\.$/)
  },
)

test('the last value of a repeated key stays, and `__proto__` is a key like others', () => {
  const value = parseJson('{"a":1,"a":2,"__proto__":3}') as object
  expect(Object.entries(value)).toEqual([
    ['a', 2],
    ['__proto__', 3],
  ])
})
