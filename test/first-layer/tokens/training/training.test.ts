import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trainingOptions } from '../../../../src/first-layer/options/training.js'
import { ALPHABET } from '../../../../src/first-layer/tokens/byte-pair/merge-order.js'
import { type Cutting, cuttingOf } from '../../../../src/first-layer/tokens/training/cutting.js'
import {
  type CountedPieces,
  PieceCounter,
} from '../../../../src/first-layer/tokens/training/piece-counter.js'
import { Trainer } from '../../../../src/first-layer/tokens/training/trainer.js'
import { checkProperty } from '../../../property.js'
import { trainBytePairs } from '../../../twins/tokens/train-byte-pairs.js'

const encode = (text: string) => new TextEncoder().encode(text)

/** The counted pieces as text and count, sorted. */
function listed({ bytes, ends, counts }: CountedPieces): [string, number][] {
  const pieces = Array.from(ends, (end, i): [string, number] => {
    const piece = bytes.subarray(i === 0 ? 0 : ends[i - 1], end)
    return [Buffer.from(piece).toString('latin1'), counts[i]!]
  })
  return pieces.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Cuttings that have been made: some take a tenth of a second. */
const cuttings = new Map<string, Cutting>()

function cutting(pattern: string, leavesGaps: boolean): Cutting {
  const key = `${leavesGaps} ${pattern}`
  const made = cuttings.get(key) ?? cuttingOf(pattern, leavesGaps)
  cuttings.set(key, made)
  return made
}

function counted(texts: readonly string[], pattern: string, leavesGaps = false) {
  const counter = new PieceCounter(cutting(pattern, leavesGaps))
  for (const text of texts) counter.write(encode(text))
  return counter.take()
}

describe('counting', () => {
  it('counts the pieces of a pattern, and what lies between them where it is wanted', () => {
    expect(listed(counted(['ab--c ab', 'ab'], '\\p{L}+'))).toEqual([
      [' ', 1],
      ['--', 1],
      ['ab', 3],
      ['c', 1],
    ])
    expect(listed(counted(['ab--c ab', 'ab'], '\\p{L}+', true))).toEqual([
      ['ab', 3],
      ['c', 1],
    ])
    // a pattern for which the kernel has no states, with text before, between and behind its matches
    const ends = '[ab](?=cc)'
    expect(listed(counted(['xacc-bccz'], ends)).map(([piece]) => piece)).toEqual([
      'a',
      'b',
      'cc-',
      'ccz',
      'x',
    ])
    expect(listed(counted(['xacc-bccz'], ends, true)).map(([piece]) => piece)).toEqual(['a', 'b'])
    expect(listed(counted(['1234567'], '\\d{1,3}(?=(?:\\d{3})*(?!\\d))'))).toEqual([
      ['1', 1],
      ['234', 1],
      ['567', 1],
    ])
  })

  it('holds a hundred thousand pieces, short and long, each once', () => {
    const words = Array.from({ length: 100_000 }, (_, i) =>
      i % 3 === 0 ? `${'long'.repeat(5)}${i.toString(36).replace(/\d/g, 'x')}Q` : `w${i}`,
    )
    const texts = [words.join(' '), words.join(' ')]
    const expected = new Map<string, number>()
    for (const text of texts)
      for (const [piece] of text.matchAll(/ ?[a-zA-Z]+| ?\d{1,20}/g))
        expected.set(piece, (expected.get(piece) ?? 0) + 1)
    expect(listed(counted(texts, ' ?[a-zA-Z]+| ?\\d{1,20}'))).toEqual(
      [...expected].sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  })

  it('adds up to the same wherever a text arrives in parts, and whoever counts', async () => {
    const letters = fc.constantFrom(...' \n\r\t', ...'aZé漢1.-', "'s", "'LL", '🙂', ' a', '\n\n', 'x ')
    const texts = fc.array(letters, { maxLength: 40 }).map((parts) => parts.join(''))
    for (const pattern of ['gpt2', 'gpt4', 'gpt4o', 'qwen2', 'none', '\\p{L}+', '\\p{L}(?=\\p{L}\\p{L})']) {
      const cutting = cuttingOf(pattern, false)
      await checkProperty(
        fc.property(texts, texts, fc.integer({ min: 1, max: 9 }), (text, other, step) => {
          const [first, second] = [new PieceCounter(cutting), new PieceCounter(cutting)]
          const bytes = encode(text)
          for (let at = 0; at < bytes.length; at += step)
            first.write(bytes.subarray(at, at + step), at + step >= bytes.length)
          second.write(encode(other))
          first.add(second.take())
          expect(listed(first.take())).toEqual(listed(counted([text, other], pattern)))
        }),
        20,
      )
    }
  })
})

it('merges are those of the plain twin, for random pieces of few letters', async () => {
  const piece = fc
    .array(fc.constantFrom(...'aabc'), { minLength: 1, maxLength: 12 })
    .map((letters) => letters.join(''))
  const options = fc.record({
    vocab_size: fc.integer({ min: 256, max: 300 }),
    min_frequency: fc.integer({ min: 0, max: 4 }),
    max_token_length: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
  })
  await checkProperty(
    fc.property(fc.array(piece, { maxLength: 30 }), options, (pieces, given) => {
      const trainer = new Trainer(
        trainingOptions.parse({ ...given, pattern: 'none', like: 'rustbpe', special_tokens: [] }),
        counted(pieces, 'none'),
      )
      while (trainer.step());
      const { min_frequency: minFrequency, max_token_length: maxTokenLength } = given
      const expected = trainBytePairs(pieces.map(encode), given.vocab_size, {
        minFrequency,
        ...(maxTokenLength !== undefined && { maxTokenLength }),
      })
      const spelled = [...ALPHABET]
      const merges = expected.map(([left, right]) => {
        spelled.push(spelled[left]! + spelled[right]!)
        return [spelled[left], spelled[right]]
      })
      expect(trainer.finish().merges).toEqual(merges)
    }),
    200,
  )
})

it('counts beyond 2^31 stay exact', () => {
  const counts = Float64Array.of(2 ** 31 - 1, 5, 2 ** 33)
  const pieces = { bytes: encode('ababcd'), ends: Uint32Array.of(2, 4, 6), counts }
  const counter = new PieceCounter(cuttingOf('none', false))
  counter.add(pieces)
  const trainer = new Trainer(trainingOptions.parse({ vocab_size: 300 }), counter.take())
  while (trainer.step());
  expect(trainer.finish()).toMatchObject({
    merges: [
      ['c', 'd'],
      ['a', 'b'],
    ],
    mostFrequent: 2 ** 33,
  })
})
