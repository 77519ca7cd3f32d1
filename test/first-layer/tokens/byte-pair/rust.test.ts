import { expect, test } from 'vitest'
import { bytePairTokenizer } from '../../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { times } from '../../../property.js'
import { expectSameIds } from '../expect-same-ids.js'
import { seedOfThisRun } from '../random-texts.js'
import { tokenizeText } from '../tokenize-text.js'
import { compareWithRust } from './against-rust.js'
import { bytePairSpec, FILES, tokenizerFile } from './files.js'

const seed = seedOfThisRun()

test.each(FILES)('ids and ranges of random texts are the Rust library’s (%s)', async (name) => {
  await compareWithRust(name, times(30), seed)
})

test('so they are with added tokens that are written as tokens of the vocabulary are', async () => {
  await compareWithRust('gpt2', times(30), seed, [
    ...['é', 'Ġthe', '°', 'ÃĹ', 'Ċ', 'ĠĠé', 'ü x'].map((content, i) => ({ id: 90_000 + i, content })),
  ])
})

test('so they are with tokens of two passes that lie over each other (DeepSeek)', async () => {
  const first = ['<｜User｜>', '<｜end▁of▁sentence｜>', '<think>', 'aab']
  const second = ['User', '｜>', '<｜', '｜>x', 'think>', 'end▁of', 'ab', '<｜end▁of▁sentence｜', 'hin']
  const file = { ...tokenizerFile('gpt2'), normalizer: { type: 'Sequence', normalizers: [] } }
  await compareWithRust(file, times(60), seed, [
    ...first.map((content, i) => ({ id: 90_000 + i, content, special: i % 2 === 0 })),
    ...second.map((content, i) => ({ id: 91_000 + i, content, normalized: true })),
  ])
})

test('whitespace between two tokens that both take it along goes where the library puts it, or the library runs the file', async () => {
  const file = tokenizerFile('gpt2')
  const added = (rNormalized: boolean, lNormalized: boolean) => [
    { id: 90_000, content: '<r>', special: true, rstrip: true, normalized: rNormalized },
    { id: 90_001, content: '<l>', special: true, lstrip: true, normalized: lNormalized },
  ]
  const kindOf = (r: boolean, l: boolean) =>
    readTokenizerFiles({
      tokenizer: JSON.stringify({ ...file, added_tokens: [...file.added_tokens, ...added(r, l)] }),
    }).kind
  expect(kindOf(true, false)).toBe('foreign')
  for (const [r, l] of [
    [true, true],
    [false, true],
    [false, false],
  ] as const) {
    expect(kindOf(r, l)).toBe('byte_pair')
    await compareWithRust('gpt2', times(15), seed, added(r, l))
  }
})

test('a row of marks that is too long to be put in order at once has the same ids in any cut', async () => {
  const tokenizer = await bytePairTokenizer(bytePairSpec(tokenizerFile('qwen2')))
  const options = { allowedSpecial: new Set<string>(), ranges: true }
  const text = Buffer.from(`か${'\u0301\u0316'.repeat(5000)}か\u3099e\u0301`)
  const whole = tokenizeText(tokenizer, [text], options)
  for (const size of [1000, 4097, 13_001]) {
    const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.subarray(i * size, (i + 1) * size),
    )
    const cut = tokenizeText(tokenizer, parts, options)
    expectSameIds(cut, whole, `cut each ${size}`)
    expectSameIds(cut.ranges!, whole.ranges!, `ranges, cut each ${size}`)
  }
})
