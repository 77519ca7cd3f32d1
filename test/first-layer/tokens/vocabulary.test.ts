import { describe, expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES } from '../../../src/first-layer/tokens/encodings.js'
import { bytesOfToken, vocabularyOf } from '../../../src/first-layer/tokens/vocabulary.js'
import { readVocabulary } from '../../twins/tokens/read-vocabulary.js'

test.each(ENCODING_NAMES)('%s has the bytes of each token, special tokens among them', async (name) => {
  const { vocabulary, specialTokens } = await loadEncoding(name)
  const twin = await readVocabulary(name)
  expect(vocabulary.size).toBe(twin.size)
  expect(Buffer.from(vocabulary.offsets.buffer).equals(Buffer.from(twin.offsets.buffer))).toBe(true)
  expect(Buffer.from(vocabulary.bytes).equals(twin.bytes as Buffer)).toBe(true)
  for (const [literal, id] of specialTokens)
    expect(Buffer.from(bytesOfToken(vocabulary, id)!).toString()).toBe(literal)
})

describe('special tokens', () => {
  const bytes = Buffer.from('abc')
  const offsets = Uint32Array.of(0, 1, 1, 3) // id 1 is a hole
  const tokens = (special: Record<string, number>) => {
    const {
      size,
      bytes: all,
      offsets: starts,
    } = vocabularyOf(bytes, offsets, new Map(Object.entries(special)))
    expect(starts).toHaveLength(size + 1)
    return Array.from({ length: size }, (_, id) =>
      Buffer.from(all.subarray(starts[id], starts[id + 1])).toString(),
    )
  }

  test('fill holes of the vocabulary, and stand beyond the last id', () => {
    expect(tokens({})).toEqual(['a', '', 'bc'])
    expect(tokens({ '<é>': 1 })).toEqual(['a', '<é>', 'bc'])
    expect(tokens({ '<z>': 6, '<y>': 3, '<x>': 1 })).toEqual(['a', '<x>', 'bc', '<y>', '', '', '<z>'])
  })
})
