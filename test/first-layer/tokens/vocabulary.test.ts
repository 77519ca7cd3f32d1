import { describe, expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES, type EncodingName } from '../../../src/first-layer/tokens/encodings.js'
import { bytesOfToken, type Vocabulary, vocabularyOf } from '../../../src/first-layer/tokens/vocabulary.js'

/** js-tiktoken's own files, as modules. */
const RANKS = {
  gpt2: () => import('js-tiktoken/ranks/gpt2'),
  r50k_base: () => import('js-tiktoken/ranks/r50k_base'),
  p50k_base: () => import('js-tiktoken/ranks/p50k_base'),
  cl100k_base: () => import('js-tiktoken/ranks/cl100k_base'),
  o200k_base: () => import('js-tiktoken/ranks/o200k_base'),
} as const

/** Reads js-tiktoken's ranks, token by token: `! 0 IQ== Ig==` → token 0 is `!`, token 1 is `"`. */
async function readVocabulary(name: EncodingName): Promise<Vocabulary> {
  const { default: file } = await RANKS[name]()
  const tokens: Buffer[] = []
  for (const line of file.bpe_ranks.split('\n')) {
    const [, first, ...encoded] = line.split(' ')
    encoded.forEach((base64, i) => {
      tokens[Number(first) + i] = Buffer.from(base64, 'base64')
    })
  }
  for (const [literal, id] of Object.entries(file.special_tokens)) tokens[id] = Buffer.from(literal)
  const offsets = new Uint32Array(tokens.length + 1)
  for (let id = 0; id < tokens.length; id++) offsets[id + 1] = offsets[id]! + (tokens[id]?.length ?? 0)
  return { bytes: Buffer.concat(tokens.filter(Boolean)), offsets }
}

test.each(ENCODING_NAMES)('%s has the bytes of each token, special tokens among them', async (name) => {
  const { vocabulary, specialTokens } = await loadEncoding(name)
  const twin = await readVocabulary(name)
  expect(Buffer.from(vocabulary.offsets.buffer).equals(Buffer.from(twin.offsets.buffer))).toBe(true)
  expect(Buffer.from(vocabulary.bytes).equals(twin.bytes as Buffer)).toBe(true)
  for (const [literal, id] of specialTokens)
    expect(Buffer.from(bytesOfToken(vocabulary, id)!).toString()).toBe(literal)
})

describe('special tokens', () => {
  const bytes = Buffer.from('abc')
  const offsets = Uint32Array.of(0, 1, 1, 3) // id 1 is a hole
  const tokens = (special: Record<string, number>) => {
    const { bytes: all, offsets: starts } = vocabularyOf(bytes, offsets, new Map(Object.entries(special)))
    return Array.from({ length: starts.length - 1 }, (_, id) =>
      Buffer.from(all.subarray(starts[id], starts[id + 1])).toString(),
    )
  }

  test('fill holes of the vocabulary, and stand beyond the last id', () => {
    expect(tokens({})).toEqual(['a', '', 'bc'])
    expect(tokens({ '<é>': 1 })).toEqual(['a', '<é>', 'bc'])
    expect(tokens({ '<z>': 6, '<y>': 3, '<x>': 1 })).toEqual(['a', '<x>', 'bc', '<y>', '', '', '<z>'])
  })
})
