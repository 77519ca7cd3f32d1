import { invalid, type Situation, text } from '../bad-input.js'

const deep = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels)
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]))
const names = (count: number) => Array.from({ length: count }, (_, i) => `name ${i}`)
const NESTED = 'The body must be nested at most 64 deep. Given: one more at byte '

/** More than any request can need: refused as soon as it is seen, whatever follows. */
// biome-ignore format: one situation a line
export const BOUNDS: Situation[] = [
  { name: 'an array 65 deep', body: deep(65, '[', ']'), expected: invalid(null), says: NESTED },
  { name: 'an array 64 deep', body: deep(64, '[', ']'), expected: invalid(null), says: 'must be an object' },
  { name: 'an array 100,000 deep, cut off', body: '['.repeat(100_000), expected: invalid(null), says: NESTED },
  { name: 'an array 100,000 deep', body: deep(100_000, '[', ']'), expected: invalid(null), says: NESTED },
  { name: 'an array 64 deep in an unknown field', body: `{"x":${deep(64, '[', ']')}}`, expected: invalid(null), says: NESTED },
  { name: 'an array 63 deep in an unknown field', body: `{"x":${deep(63, '[', ']')}}`, expected: invalid('x'), says: 'is not a field' },
  { name: 'an object 50,000 deep as text', body: `{"text":${deep(50_000, '{"a":', '')}1${'}'.repeat(50_000)}}`, expected: invalid(null), says: NESTED },
  { name: 'an array 64 deep as text', body: { text: JSON.parse(deep(64, '[', ']')) }, expected: invalid(null), says: NESTED },
  { name: 'an array 63 deep as text', body: { text: JSON.parse(deep(63, '[', ']')) }, expected: invalid('text.0'), says: 'must be a string. Given: an array of 1' },
  { name: 'an array 100,000 deep as ids', body: `{"input_ids":${deep(100_000, '[', ']')}}`, expected: invalid(null), says: NESTED },
  { name: 'an array 64 deep as ids', body: { input_ids: JSON.parse(deep(64, '[', ']')) }, expected: invalid(null), says: NESTED },
  { name: 'an array 63 deep as ids', body: { input_ids: JSON.parse(deep(63, '[', ']')) }, expected: invalid('input_ids.0.0'), says: 'must be an integer' },
  { name: 'an array 100,000 deep as outputs', body: `{"text":"a","outputs":${deep(100_000, '[', ']')}}`, expected: invalid(null), says: NESTED },
  { name: 'an object 50,000 deep as position_embedding', body: `{"text":"a","position_embedding":${deep(50_000, '{"type":', '')}1${'}'.repeat(50_000)}}`, expected: invalid(null), says: NESTED },
  { name: 'too deep before what is no JSON', body: `{"x":${deep(64, '[', ']')}`, expected: invalid(null), says: NESTED },
  { name: 'no JSON before what is too deep', body: `{"y":01,"x":${deep(64, '[', ']')}}`, expected: invalid(null), says: NESTED },
  { name: 'too deep beside a query', url: '/v1/input-embeddings?stride=4', body: `{"x":${deep(64, '[', ']')}}`, expected: invalid(null), says: NESTED },
  { name: 'an object of 257 keys among the ids', body: { input_ids: [1, keys(257)] }, expected: invalid('input_ids.1'), says: 'must be an integer' },
  { name: '32,768 fields', body: keys(32_768), expected: invalid('k0'), says: 'is not a field' },
  { name: '32,769 fields', body: keys(32_769), expected: invalid(null), says: 'The body must have at most 32768 keys. Given: one more at byte ' },
  { name: '262,144 outputs', body: { text, outputs: Array(262_144).fill('') }, expected: invalid(null), says: 'The body must have at most 262144 arrays, objects and strings' },
  { name: '65 outputs', body: { text, outputs: names(65) }, expected: invalid('outputs'), says: 'must have at most 64 elements. Given: an array of 65' },
  { name: '64 outputs', body: { text, outputs: names(64) }, expected: invalid('outputs.0') },
  { name: '30,000 outputs that are numbers', body: { text, outputs: Array(30_000).fill(0) }, expected: invalid('outputs'), says: 'at most 64 elements' },
  { name: '60,000 outputs', body: { text, outputs: names(60_000) }, expected: invalid('outputs'), says: 'must have at most 64 elements' },
  { name: 'outputs of a number', body: { text, outputs: ['input_ids', 0] }, expected: invalid('outputs.1'), says: 'must be a string. Given: 0' },
  { name: '1,025 special tokens', body: { text, allowed_special: names(1025) }, expected: invalid('allowed_special'), says: 'must have at most 1024 elements. Given: an array of 1025' },
  { name: '1,024 special tokens', body: { text, allowed_special: names(1024) }, expected: invalid('allowed_special.0') },
  { name: '30,000 special tokens that are numbers', body: { text, allowed_special: Array(30_000).fill(0) }, expected: invalid('allowed_special'), says: 'array of strings' },
  { name: 'a number of 70,000 digits as id', body: `{"input_ids":[${'1'.repeat(70_000)}]}`, expected: invalid('input_ids.0'), says: 'must be an integer within ±(2^53 − 1). Given: Infinity' },
  { name: 'an array of 70,000 bytes that is no request', body: Array(35_000).fill(0), expected: invalid(null), says: 'The request must be an object' },
  { name: 'a text of 10,000 empty elements', body: { text: Array(10_000).fill('') }, expected: [400, 'empty_input', 'text.0'] },
  { name: '10,001 texts', body: { text: Array(10_001).fill('a') }, expected: invalid('text'), says: 'must have at most 10000 documents' },
  { name: '10,001 lists of ids', body: { input_ids: Array(10_001).fill([1]) }, expected: invalid('input_ids'), says: 'must have at most 10000 documents' },
  { name: '10,001 lists of token types', body: { input_ids: [1], token_type_ids: Array(10_001).fill([1]) }, expected: invalid('token_type_ids'), says: 'must have at most 10000 documents' },
]
