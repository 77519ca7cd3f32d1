import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Merging, merged, nextPair, unmerged } from '../../../src/features/explorer/page/merges.js'
import { ALPHABET } from '../../../src/first-layer/tokens/byte-pair/merge-order.js'
import { trainTokenizer } from '../../../src/library/train-tokenizer.js'
import { checkProperty } from '../../property.js'

/** The vocabulary by id, and the merges, as tokenizer.json writes them. */
function written({ tokens }: Merging) {
  const names = tokens.map(({ bytes }) => bytes.map((byte) => ALPHABET[byte]).join(''))
  const merges = tokens.flatMap(({ pair }) => (pair ? [[names[pair.left], names[pair.right]]] : []))
  return { names: ['<|endoftext|>', ...names.slice(1)], merges }
}

it('merges as trainTokenizer does, to the last pair', async () => {
  const parts = [
    ...'aabbc é漢🐈1٣ſ.-\n\r\t\u00a0\u0085\ufeff',
    "'s",
    "'LL",
    ' ab',
    ' ba',
    '<|endoftext|>',
    'low',
  ]
  const texts = fc.array(
    fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((some) => some.join('')),
    { maxLength: 4 },
  )
  await checkProperty(
    fc.asyncProperty(texts, async (documents) => {
      let now = unmerged(documents)
      for (let pair = nextPair(now); pair; pair = nextPair(now)) now = merged(now, pair)
      const { tokenizer } = await trainTokenizer(documents, { vocab_size: 10_000 })
      const { vocab, merges } = tokenizer.model as { vocab: Record<string, number>; merges: string[][] }
      expect(written(now).merges).toEqual(merges)
      expect(written(now).names).toEqual(Object.keys(vocab).sort((a, b) => vocab[a]! - vocab[b]!))
      expect(now.pieces.every(({ length }) => length === 1)).toBe(true)
    }),
    100,
  )
})

it('tells how often a pair comes, and merges from the left', () => {
  const before = unmerged(['aaa aaa'])
  expect(nextPair(before)).toEqual({ left: 65, right: 65, count: 4 })
  const after = merged(before, nextPair(before)!)
  expect(after.pieces).toEqual([
    [257, 65],
    [221, 257, 65],
  ])
  expect(after.tokens.at(-1)).toEqual({ bytes: [97, 97], pair: { left: 65, right: 65, count: 4 } })
})
