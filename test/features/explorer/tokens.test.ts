import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  hexOf,
  lineOf,
  linesOf,
  piecesOf,
  placesOf,
  tokenBytes,
  tokenText,
} from '../../../src/features/explorer/page/tokens.js'

/** A text cut into tokens at arbitrary bytes. */
const cut = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.array(fc.nat(), { maxLength: 30 }))
  .map(([text, cuts]) => {
    const size = Buffer.byteLength(text)
    const starts = [...new Set([0, ...cuts.map((place) => place % size), size])].sort((a, b) => a - b)
    return { text, starts: Int32Array.from(starts) }
  })

describe('places of tokens', () => {
  it('give each token its own bytes, also within a character', () => {
    fc.assert(
      fc.property(cut, ({ text, starts }) => {
        const places = placesOf(text, starts)
        const bytes = Buffer.from(text)
        for (let token = 0; token < starts.length - 1; token++) {
          const own = bytes.subarray(starts[token], starts[token + 1])
          expect(Buffer.from(tokenBytes(text, places, starts, token))).toEqual(own)
        }
      }),
    )
  })

  it('write half an emoji as the emoji', () => {
    const text = 'a🐈'
    const starts = Int32Array.of(0, 1, 3, 5)
    const places = placesOf(text, starts)
    expect([0, 1, 2].map((token) => tokenText(text, places, starts, token))).toEqual(['a', '🐈', '🐈'])
    expect(hexOf(tokenBytes(text, places, starts, 1))).toBe('f0 9f')
  })
})

describe('pieces', () => {
  it('hold every token once, and the whole text', () => {
    fc.assert(
      fc.property(cut, ({ text, starts }) => {
        const count = starts.length - 1
        const pieces = piecesOf(text, placesOf(text, starts), starts, 0, count)
        expect(pieces.map(({ text: part }) => part).join('')).toBe(text)
        expect(pieces.map(({ from }) => from)).toEqual([0, ...pieces.slice(0, -1).map(({ to }) => to)])
        expect(pieces.at(-1)?.to).toBe(count)
      }),
    )
  })

  it('never tear what a reader sees as one', () => {
    const text = 'x👩‍🚀नि'
    const starts = Int32Array.from([0, 1, 3, 5, 8, 12, 14, 15, 18])
    const pieces = piecesOf(text, placesOf(text, starts), starts, 0, 8)
    expect(pieces.map(({ text: part }) => part)).toEqual(['x', '👩‍🚀', 'नि'])
  })
})

describe('lines', () => {
  it('end where the next token would be beyond the last column', () => {
    const text = 'The cat sat on the mat'
    const starts = Int32Array.of(0, 3, 7, 11, 14, 18, 22)
    const places = placesOf(text, starts)
    expect([...linesOf(text, places, 11)]).toEqual([0, 3, 6])
    expect([...linesOf(text, places, 10)]).toEqual([0, 2, 4, 6])
    expect([...linesOf(text, places, 1)]).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('hold every token once', () => {
    fc.assert(
      fc.property(cut, fc.integer({ min: 1, max: 20 }), ({ text, starts }, columns) => {
        const lines = linesOf(text, placesOf(text, starts), columns)
        expect([lines[0], lines.at(-1)]).toEqual([0, starts.length - 1])
        for (let line = 1; line < lines.length; line++) expect(lines[line]).toBeGreaterThan(lines[line - 1])
        for (let token = 0; token < starts.length - 1; token++) {
          const line = lineOf(lines, token)
          expect(token >= lines[line] && token < lines[line + 1]).toBe(true)
        }
      }),
    )
  })
})
