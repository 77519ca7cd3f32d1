import { expect, test } from 'vitest'
import { patternTable } from '../../../../src/first-layer/tokens/byte-pair/pattern-table.js'
import { times } from '../../../property.js'
import { seedOfThisRun } from '../random-texts.js'
import { compareWithRust } from './against-rust.js'
import { FAMILY_PATTERNS, splitsOf } from './family-patterns.js'
import { tokenizerFile } from './files.js'

const seed = seedOfThisRun()
const COUNT = times(15)

test.each(Object.entries(FAMILY_PATTERNS))(
  'ids and ranges of random texts are the Rust library’s under the pattern of %s',
  async (_, sources) => {
    await compareWithRust({ ...tokenizerFile('o200k'), pre_tokenizer: splitsOf(sources) }, COUNT, seed)
  },
)

test.each([
  [[String.raw`\p{N}`, String.raw`\p{L}+|\s+$|\n+?x`]],
  [[String.raw`ab+?c|a(?:b|c){2,3}|(?=\d)..|[^ -a&&[^€]]t`]],
  [['t*h|t|(?:e|eé)(?:é|éß)']],
  [[String.raw`\p{N}+`, '[一-龥぀-ヿ]+|[가-힣]+', String.raw`\p{L}\p{M}*| +$|[^\p{P}] `]],
])('so they are under %j', async (sources) => {
  await compareWithRust({ ...tokenizerFile('gpt2'), pre_tokenizer: splitsOf(sources) }, COUNT, seed)
})

test.each([
  String.raw`(a)\1`,
  String.raw`\bword`,
  '(?i)a',
  '(?i:ss)',
  '(?<!a)b',
  '(?!ab)c',
  'a*',
  'a{2}+',
  '(?>a)b',
  '[[:alpha:]]',
  String.raw`\w+`,
  String.raw`\s{512}(?!\S)|\s{999}x{999}y{999}z{999}|q{999}`,
])('no table is made of %s, whose meaning it would not hold', (source) => {
  expect(patternTable([source])).toBeUndefined()
})

test('none is made of groups within 50,000 others', () => {
  expect(patternTable([`${'(?:'.repeat(50_000)}\\p{L}${')+'.repeat(50_000)}`])).toBeUndefined()
})

test('none is made of splits whose first is no run of characters', () => {
  expect(patternTable([String.raw`\s?\p{L}+`, String.raw`\p{N}`])).toBeUndefined()
  expect(patternTable([String.raw`\p{N}{1,3}`, String.raw`\p{N}{2}`])).toBeUndefined()
})
