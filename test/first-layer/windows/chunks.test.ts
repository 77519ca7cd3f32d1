import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { run } from '../../../src/first-layer/steps.js'
import { type Chunk, chunksOf } from '../../../src/first-layer/windows/chunks.js'
import { cutsOf } from '../../../src/first-layer/windows/cuts.js'
import { type Boundary, isBoundary } from '../../../src/first-layer/windows/text-boundary.js'
import { checkProperty } from '../../property.js'

/** Chunks of a text whose tokens are its parts between `|`. */
function chunks(marked: string, maxTokens: number, overlap = 0, boundary: Boundary = 'token'): string[] {
  const parts = marked.split('|').map((part) => Buffer.from(part))
  const text = Buffer.concat(parts)
  return all(
    text,
    parts.map(({ length }) => length),
    { maxTokens, overlap, boundary },
  ).map(({ bytes: [start, end] }) => text.subarray(start, end).toString())
}

/** @param lengths bytes of each token */
function all(
  text: Buffer,
  lengths: readonly number[],
  { maxTokens, overlap, boundary }: { maxTokens: number; overlap: number; boundary: Boundary },
): Chunk[] {
  const ends: number[] = []
  for (const length of lengths) ends.push((ends.at(-1) ?? 0) + length)
  const places = {
    count: lengths.length,
    start: (i: number) => ends[i - 1] ?? 0,
    end: (i: number) => ends[i],
  }
  const cuts = run(cutsOf(text, places, boundary))
  const found = run(chunksOf(cuts, { maxTokens, overlap }))
  return Array.from({ length: found.count }, (_, i) => found.at(i))
}

describe('chunks', () => {
  test.each([
    ['a|b|c|d|e', 3, 0, 'token', ['abc', 'de']],
    ['a|b|c|d|e', 3, 1, 'token', ['abc', 'cde']],
    ['a|b|c|d|e', 3, 2, 'token', ['abc', 'bcd', 'cde']],
    ['a|b|c', 9, 3, 'token', ['abc']],
    ['one|\n|two|\n|three|\n', 3, 0, 'line', ['one\n', 'two\n', 'three\n']],
    ['one|\n|two|\n|three|\n', 4, 0, 'line', ['one\ntwo\n', 'three\n']],
    ['one|\n|two|\n|three|\n', 4, 2, 'line', ['one\ntwo\n', 'two\nthree\n']],
    ['one|\n|two|\n|three|\n', 4, 1, 'line', ['one\ntwo\n', 'three\n']],
    ['a|b|c|d|\n|e', 3, 0, 'line', ['abc', 'd\ne']],
    ['a|.| b|.| c| d|.', 4, 0, 'sentence', ['a. b.', ' c d.']],
    ['a|.| b|.| c| d|.', 4, 2, 'sentence', ['a. b.', ' c d.']],
    ['a|.| b|.| c| d|.', 5, 2, 'sentence', ['a. b.', ' b. c d.']],
  ] as const)('of %j, at most %i tokens, %i again, by %s', (text, most, overlap, boundary, wanted) => {
    expect(chunks(text, most, overlap, boundary)).toEqual(wanted)
  })

  test('a character of more tokens than there may be is refused with their number', () => {
    const text = Buffer.from('a🤖b')
    const asked = { maxTokens: 2, overlap: 0, boundary: 'token' } as const
    expect(() => all(text, [1, 1, 1, 2, 1], asked)).toThrow(
      /`max_tokens` must be at least 3: bytes 1 to 5.*Given: 2/,
    )
    expect(
      all(text, [1, 1, 1, 2, 1], { ...asked, maxTokens: 3 }).map(({ characters }) => characters),
    ).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
  })

  test('a text without tokens is one chunk, one outside the text is refused', () => {
    const text = Buffer.from(' é ')
    const asked = { maxTokens: 1, overlap: 0, boundary: 'sentence' } as const
    expect(all(text, [], asked)).toEqual([{ tokens: [0, 0], bytes: [0, 4], characters: [0, 3] }])
    expect(() => all(text, [5], asked)).toThrow(/known places.*token 0/)
  })

  test('tile the text, in bytes and code points, never within a character, however tokens lie', async () => {
    const token = fc.integer({ min: 0, max: 5 })
    const boundary = fc.constantFrom<Boundary>('token', 'line', 'sentence')
    const texts = fc.array(fc.constantFrom('a', ' ', '.', '\n', 'é', '東', '🤖', '。', '"'), {
      minLength: 1,
      maxLength: 60,
    })
    const tiles = fc.property(
      ...([
        texts,
        fc.array(token, { minLength: 80, maxLength: 80 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(11),
        boundary,
      ] as const),
      (characters, sizes, maxTokens, given, by) => {
        const text = Buffer.from(characters.join(''))
        const lengths: number[] = []
        for (let left = text.length; left > 0; left -= lengths.at(-1)!)
          lengths.push(Math.min(left, sizes[lengths.length] ?? left))
        const overlap = given % maxTokens
        let found: Chunk[]
        try {
          found = all(text, lengths, { maxTokens, overlap, boundary: by })
        } catch (error) {
          expect(String(error)).toMatch(/max_tokens/)
          return
        }
        let [done, doneTokens] = [0, 0]
        let joined = ''
        for (const [
          i,
          {
            bytes: [start, end],
            tokens: [first, last],
            characters: [c, d],
          },
        ] of found.entries()) {
          expect(start).toBeLessThanOrEqual(done)
          expect(end).toBeGreaterThan(done)
          expect(last - first).toBeLessThanOrEqual(maxTokens)
          if (i > 0) expect(doneTokens - first).toBeLessThanOrEqual(overlap)
          const span = text.subarray(start, end).toString()
          expect(span).not.toContain('\ufffd')
          expect(characters.slice(c, d).join('')).toBe(span)
          joined += text.subarray(done, end).toString()
          done = end
          doneTokens = last
        }
        expect(joined).toBe(characters.join(''))
      },
    )
    await checkProperty(tiles, 3000)
  })
})

test.each([
  ['One. |Two', true],
  ['One.| Two', true],
  ['One |Two', false],
  ['3.|14', false],
  ['(One.) |Two', true],
  ['“One.” |Two', true],
  ['一。|二', true],
  ['one…|two', false],
  ['एक। |दो', true],
  ['one\n\n|two', true],
  ['one\n|two', false],
])('%j is a start of a sentence: %s', (marked, wanted) => {
  const [before] = marked.split('|')
  const text = Buffer.from(marked.replace('|', ''))
  expect(isBoundary(text, Buffer.byteLength(before), 'sentence')).toBe(wanted)
})

test.each([
  ['a\n|b', true],
  ['a\n  |b', true],
  ['a|\nb', false],
  ['a\r|\nb', false],
  ['a\r\n|b', true],
  ['a\r|b', true],
  ['a |b', false],
])('%j is a start of a line: %s', (marked, wanted) => {
  const [before] = marked.split('|')
  const text = Buffer.from(marked.replace('|', ''))
  expect(isBoundary(text, Buffer.byteLength(before), 'line')).toBe(wanted)
})
