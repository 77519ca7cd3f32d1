import { invalid, type Situation } from '../bad-input.js'

/** Bodies that are not the JSON of a request. */
// biome-ignore format: one situation a line
export const BODIES: Situation[] = [
  { name: 'no JSON', body: 'text=hello', expected: [400, 'invalid_json', null] },
  { name: 'an empty body', body: '', expected: [400, 'invalid_json', null], says: 'The body must be JSON: Unexpected end of JSON input.' },
  { name: 'JSON cut off', body: '{"text": "abc', expected: [400, 'invalid_json', null] },
  { name: 'a trailing comma', body: '{"text": "abc",}', expected: [400, 'invalid_json', null] },
  { name: 'NaN, which JSON does not have', body: '{"input_ids": [NaN]}', expected: [400, 'invalid_json', null] },
  { name: 'an array', body: [1, 2], expected: invalid(null), says: 'Given: an array of 2' },
  { name: 'a string', body: '"abc"', expected: invalid(null), says: 'Given: "abc"' },
  { name: 'null', body: 'null', expected: invalid(null), says: 'Given: null' },
  { name: 'more JSON after it', body: '{"text": "abc"} {}', expected: [400, 'invalid_json', null], says: 'position 16' },
  { name: 'bytes that are no UTF-8', body: Buffer.from('7b2274657874223a2261ff62227d', 'hex'), expected: [400, 'invalid_unicode', null], says: 'byte 10 ' },
  { name: 'UTF-8 cut off within the text', body: Buffer.concat([Buffer.from('{"text":"a'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')]), expected: [400, 'invalid_unicode', null], says: 'byte 10 ' },
  { name: 'UTF-8 cut off at the end', body: Buffer.from('7b2274657874223a22c3', 'hex'), expected: [400, 'invalid_unicode', null], says: 'byte 9 ' },
  { name: 'a surrogate as UTF-8 bytes', body: Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]), expected: [400, 'invalid_unicode', null], says: 'byte 9 ' },
  { name: 'UTF-16', body: Buffer.from('\ufeff{"text":"a"}', 'utf16le'), expected: [400, 'invalid_unicode', null], says: 'byte 0 ' },
  { name: 'a byte order mark before the JSON', body: '\ufeff{"text":"a"}', expected: [400, 'invalid_json', null], says: "Unexpected token '\\ufeff'" },
]

/** Text that is not Unicode: the message has the index in UTF-16 units. */
// biome-ignore format: one situation a line
export const UNICODE: Situation[] = [
  { name: 'a lone high surrogate', body: '{"text":"ab\\ud800c"}', expected: [400, 'invalid_unicode', 'text'], says: /U\+D800.*index 2/ },
  { name: 'a lone low surrogate after an emoji', body: '{"text":"\\ud83c\\udf0a\\udc00"}', expected: [400, 'invalid_unicode', 'text'], says: /U\+DC00.*index 2/ },
  { name: 'a surrogate pair the wrong way round', body: '{"text":"\\udf0a\\ud83c"}', expected: [400, 'invalid_unicode', 'text'], says: 'index 0' },
  { name: 'two low surrogates', body: '{"text":"\\udc00\\udc01"}', expected: [400, 'invalid_unicode', 'text'], says: 'index 0' },
  { name: 'a surrogate at the end', body: '{"text":"abc\\udbff"}', expected: [400, 'invalid_unicode', 'text'], says: 'index 3' },
  { name: 'a lone surrogate in the second document', body: '{"text":["abc","\\ud800"]}', expected: [400, 'invalid_unicode', 'text.1'], says: 'index 0' },
  { name: 'a lone surrogate beside an unknown field', body: '{"x":1,"text":"\\ud800"}', expected: [400, 'invalid_unicode', 'text'] },
]
