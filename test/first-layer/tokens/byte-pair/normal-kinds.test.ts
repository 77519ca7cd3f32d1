import { expect, test } from 'vitest'
import {
  LOW_SURROGATE,
  MARK,
  mayCompose,
  normalKinds,
  STARTER,
} from '../../../../src/first-layer/tokens/byte-pair/recompose.js'
import { characterFacts } from '../../../../src/first-layer/tokens/wordpiece/unicode/character-facts.js'

const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000

test('each later part of a composed character may compose, to the last tail of Hangul', () => {
  normalKinds()
  const facts = characterFacts()
  const missed = new Set<number>()
  for (let unit = 0x80; unit < 0x10000; unit++) {
    if (isSurrogate(unit)) continue
    const character = String.fromCharCode(unit)
    const parts = [...character.normalize('NFD')]
    const isHangul = unit >= 0xac00 && unit <= 0xd7a3
    const isKnown = isHangul || facts.decompositionOf(unit).length > 1 // to the tables' version of Unicode
    if (parts.length === 1 || !isKnown || character.normalize('NFC') !== character) continue
    for (const part of parts.slice(1)) if (!mayCompose(part.codePointAt(0)!)) missed.add(part.codePointAt(0)!)
  }
  expect([...missed]).toEqual([])
  expect([0x1175, 0x1176, 0x1160, 0x11a7, 0x11c2, 0x11c3].map(mayCompose)).toEqual([
    ...[true, false, false],
    ...[false, true, false],
  ])
  expect([0x10fff, 0x11000, 0x16fff, 0x17000].map(mayCompose)).toEqual([false, true, true, false])
})

test('a starter does not change, a mark has its order, and half a pair is the second half', () => {
  const kinds = normalKinds()
  const wrong: number[] = []
  for (let unit = 0; unit < 0x10000; unit++) {
    const kind = kinds[unit]!
    if (unit >= 0xdc00 && unit < 0xe000) {
      if (kind !== LOW_SURROGATE) wrong.push(unit)
      continue
    }
    const character = String.fromCharCode(unit)
    if (isSurrogate(unit)) continue
    if (kind === STARTER && character.normalize('NFC') !== character) wrong.push(unit)
    if (kind > MARK && /\P{M}/u.test(character)) wrong.push(unit)
  }
  expect(wrong).toEqual([])
  const [overlay, below, composes] = ['\u0334', '\u0316', '\u0345'].map((mark) => kinds[mark.charCodeAt(0)]!)
  expect([overlay! > MARK, below! > overlay!, composes]).toEqual([true, true, 0])
})
