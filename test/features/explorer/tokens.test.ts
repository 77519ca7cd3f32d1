import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  hexOf,
  piecesOf,
  type TokenDocument,
  visibleText,
} from '../../../src/features/explorer/page/tokens.js'

const documentOf = (text: string, starts: readonly number[]): TokenDocument => ({
  bytes: Buffer.from(text),
  ids: new Int32Array(starts.length - 1),
  starts: Int32Array.from(starts),
})

/** A text cut into tokens at arbitrary bytes. */
const cut = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.array(fc.nat(), { maxLength: 30 }))
  .map(([text, cuts]) => {
    const size = Buffer.byteLength(text)
    const starts = [...new Set([0, ...cuts.map((place) => place % size), size])].sort((a, b) => a - b)
    return { text, document: documentOf(text, starts) }
  })

describe('a token', () => {
  it('is written with the whole of a character that it has a part of, the part’s number, and its own bytes', () => {
    const document = documentOf('a🐈', [0, 1, 3, 5])
    expect([0, 1, 2, 3].map((token) => visibleText(document, token))).toEqual(['a', '🐈 1/2', '🐈 2/2', ''])
    expect(hexOf(document, 1)).toBe('f0 9f')
  })

  it('is a part also where a tokenizer tells the whole character’s place for each of its bytes', () => {
    const document = { ...documentOf('🐈 a', [0, 0, 0, 5, 6]), ends: Int32Array.of(4, 4, 4, 6) }
    const texts = [0, 1, 2, 3].map((token) => visibleText(document, token))
    expect(texts).toEqual(['🐈 1/3', '🐈 2/3', '🐈 3/3', 'a'])
  })

  it('has no blank that belongs to no token', () => {
    const document = { ...documentOf('fox jumps', [0, 4, 9]), ends: Int32Array.of(3, 9) }
    expect([visibleText(document, 0), hexOf(document, 0)]).toEqual(['fox', '66 6f 78'])
    expect(piecesOf(document, 0, 2).map(({ text }) => text)).toEqual(['fox', 'jumps'])
  })

  it('has signs for its spaces and line ends', () => {
    expect(visibleText(documentOf(' a\n', [0, 3]), 0)).toBe('·a↵')
  })
})

describe('pieces', () => {
  it('hold every token once, and the whole text', () => {
    fc.assert(
      fc.property(cut, ({ text, document }) => {
        const count = document.ids.length
        const pieces = piecesOf(document, 0, count)
        expect(pieces.map(({ text: part }) => part).join('')).toBe(
          visibleText(documentOf(text, [0, document.bytes.length]), 0),
        )
        expect(pieces.map(({ from }) => from)).toEqual([0, ...pieces.slice(0, -1).map(({ to }) => to)])
        expect(pieces.at(-1)?.to).toBe(count)
      }),
    )
  })

  it('never tear what a reader sees as one, and begin anywhere', () => {
    const document = documentOf('x👩‍🚀नि', [0, 1, 3, 5, 8, 12, 14, 15, 18])
    expect(piecesOf(document, 0, 8).map(({ text }) => text)).toEqual(['x', '👩‍🚀', 'नि'])
    expect(piecesOf(document, 5, 8).map(({ from, to }) => [from, to])).toEqual([[5, 8]])
  })
})
