import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonLine } from '../../../src/datasets/ingest/json-line.js'
import { PlainLine } from '../../../src/datasets/ingest/plain-line.js'
import { run } from '../../../src/first-layer/steps.js'
import { writeUnescaped } from '../../../src/wire/json/escapes.js'
import { JsonText } from '../../../src/wire/json/json-texts.js'
import { checkProperty } from '../../property.js'

/** The text as the reader of all lines finds it; undefined: it is refused, or has no text that is not empty. */
function byJsonLine(text: string, field: string): string | undefined {
  try {
    const line = new JsonLine(Buffer.from(text), field)
    const rest = line.read()
    if (rest !== undefined) run(rest)
    const document = line.document()
    return document?.given instanceof JsonText ? document.given.toString() : undefined
  } catch {
    return undefined
  }
}

/** The line stands between others, as in a chunk. */
function byPlainLine(text: string, field: string): string | undefined {
  const [before, line, after] = ['{"text":"before"}\n', text, '\n"x"]}\n'].map((each) => Buffer.from(each))
  const bytes = Buffer.concat([before!, line!, after!])
  const plain = new PlainLine(field)
  if (!plain.find(bytes, before!.length, before!.length + line!.length)) return undefined
  const out = Buffer.alloc(plain.end - plain.start)
  const { written } = writeUnescaped(bytes, plain.start, plain.end, out)
  expect(bytes.subarray(plain.start, plain.end).includes('\\')).toBe(plain.hasEscapes)
  return out.toString('utf8', 0, written)
}

describe('a line in its commonest form', () => {
  test.each([
    ['{"text":"Hello"}', 'Hello'],
    [' { "id" : 7 , "text" : "a\\n\\"b\\\\" , "s": -1.5e3, "t": [1, {"u": null}] } ', 'a\n"b\\'],
    ['{"text":"Grüße 🦙","meta":{"text":"no"},"url":"a\\u0041"}', 'Grüße 🦙'],
  ])('%s', (line, text) => {
    expect(byPlainLine(line, 'text')).toBe(text)
    expect(byJsonLine(line, 'text')).toBe(text)
  })

  test.each([
    '', '{}', '[]', '{"text":""}', '{"text":1}', '{"text":"a"', '{"text":"a}', '{"text":"a"}}', '{"text":"a",}',
    '{"text":"a" "b":1}', '{"text":"a","text":"b"}', '{"text":"a","input_ids":[1]}', '{"text":"\\u0041"}',
    '{"text":"\\x"}', '{"t\\u0065xt":"a"}', '{"text":"a","b":[1,', '{"text":"a","b":01}', '{"text":"a","b":tru}',
    '{"text":"a","b"', '{"text":"a","b":', '{"text":"a","b":"', '{"text":"\t"}', '{"text":"a"} x', '{"text":"a","b":"\\q"}',
  ])('is not %s', (line) => {
    expect(byPlainLine(line, 'text')).toBeUndefined()
  }) // biome-ignore format: a list
})

test('what it finds is what the reader of all lines finds', async () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary' }))
  const members = fc.array(fc.tuple(fc.constantFrom('text', 'id', 'input_ids', 'tex', 'é'), value), {
    maxLength: 4,
  })
  const change = fc.tuple(fc.nat(), fc.constantFrom('', '"', '\\', ',', '{', '}', ':', ' ', '\t', 'x', '0'))
  let found = 0
  await checkProperty(
    fc.property(members, fc.option(change), fc.constantFrom('text', 'é'), (given, changed, field) => {
      let line = `{${given.map(([key, each]) => `${JSON.stringify(key)}: ${JSON.stringify(each)}`).join(',')}}`
      if (changed !== null) {
        const at = changed[0] % line.length
        line = line.slice(0, at) + changed[1] + line.slice(at + 1)
      }
      const text = byPlainLine(line, field)
      if (text !== undefined) {
        found++
        expect(text).toBe(byJsonLine(line, field))
      }
    }),
    1000,
  )
  expect(found).toBeGreaterThan(20)
})

test('a line beyond 64 KiB, or with too many keys, is for the other reader', () => {
  expect(byPlainLine(`{"text":"${'a'.repeat(65_000)}"}`, 'text')).toHaveLength(65_000)
  expect(byPlainLine(`{"text":"${'a'.repeat(66_000)}"}`, 'text')).toBeUndefined()
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":${i},`).join('')
  expect(byPlainLine(`{${keys(255)}"text":"a"}`, 'text')).toBe('a')
  expect(byPlainLine(`{${keys(256)}"text":"a"}`, 'text')).toBeUndefined()
})
