import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BytePairKernel } from '../../../../src/first-layer/tokens/byte-pair/byte-pair-kernel.js'
import { tokenizeKernel } from '../../../../src/first-layer/tokens/byte-pair/kernel-tables.js'
import { GPT2, patternTable } from '../../../../src/first-layer/tokens/byte-pair/pattern-table.js'
import { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'
import { orderOf, vocabularyOf } from '../../../../src/first-layer/tokens/vocabulary.js'
import { checkProperty } from '../../../property.js'
import { Merges } from '../../../twins/tokens/merges.js'

/** Letters of one and two bytes, so that a piece is one run of them. */
const LETTERS = ['a', 'b', 'c', 'é', 'д', '中']

/** All bytes, then tokens of two tokens before them, each of which merging can form. */
function vocabularyFrom(choices: readonly (readonly [number, number])[]) {
  const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  const parts = LETTERS.flatMap((letter) => [...Buffer.from(letter)])
  const usable = [...new Set(parts)].map((byte) => tokens[byte]!)
  const known = new Set(usable.map((token) => Buffer.from(token).toString('latin1')))
  for (const [left, right] of choices) {
    const token = Uint8Array.from([...usable[left % usable.length]!, ...usable[right % usable.length]!])
    const written = Buffer.from(token).toString('latin1')
    if (token.length > 24 || known.has(written)) continue
    if (mergesOf(tokens).mergeAll(token).length !== 2) continue
    known.add(written)
    usable.push(token)
    tokens.push(token)
  }
  return tokens
}

function mergesOf(tokens: readonly Uint8Array[]): Merges {
  const { bytes, offsets } = orderOf(tokens)
  return new Merges(vocabularyOf(bytes, offsets, new Map()))
}

async function kernelOf(tokens: readonly Uint8Array[]): Promise<BytePairKernel> {
  return new BytePairKernel(await tokenizeKernel({ pattern: patternTable([GPT2])!, merged: orderOf(tokens) }))
}

test('pieces merge as one merge after the other does it, with vocabularies of any order', async () => {
  const choice = fc.tuple(fc.nat(200), fc.nat(200))
  const piece = fc
    .array(fc.constantFrom(...LETTERS), { minLength: 2, maxLength: 21 })
    .map((all) => all.join(''))
  const cases = fc.tuple(
    fc.array(choice, { minLength: 5, maxLength: 60 }),
    fc.array(piece, { minLength: 1, maxLength: 40 }),
  )
  await checkProperty(
    fc.asyncProperty(cases, async ([choices, pieces]) => {
      const tokens = vocabularyFrom(choices)
      const kernel = await kernelOf(tokens)
      const merges = mergesOf(tokens)
      const text = pieces.join('\n')
      const ids = new TokenBuffer()
      expect(kernel.encodeShort(text, ids)).toBe(true)
      const expected = text.split(/(\n)/).flatMap((part) => merges.mergeAll(Buffer.from(part)))
      expect([...ids]).toEqual(expected)
    }),
    20,
  )
})

test('pieces of many ids keep them when they come again, before and after earlier ones are forgotten', async () => {
  const tokens = vocabularyFrom([[0, 1]])
  const kernel = await kernelOf(tokens)
  const merges = mergesOf(tokens)
  for (let from = 0; from <= 48_000; from += 400) {
    const lettersOf = (number: number) =>
      [...`${number}`].map((digit) => 'abcdefghij'[Number(digit)]).join('')
    const pieces = Array.from({ length: 400 }, (_, i) =>
      lettersOf((from + i) % 48_000).padStart(5 + (i % 17), 'é'),
    )
    const text = pieces.join('\n')
    const expected = text.split(/(\n)/).flatMap((part) => merges.mergeAll(Buffer.from(part)))
    for (let time = 0; time < 2; time++) {
      const ids = new TokenBuffer()
      expect(kernel.encodeShort(text, ids)).toBe(true)
      expect([...ids]).toEqual(expected)
    }
  }
})
