import { expect, test } from 'vitest'
import {
  NormalizationTable,
  normalizedCodePoints,
  UNCHANGED,
} from '../../../../src/first-layer/tokens/wordpiece/normalization.js'

const BERT = { ...UNCHANGED, lowercase: true, clean_text: true }

// The names of added tokens that are looked for in the normalized text.
test.each([
  ['É', [0x65]],
  ['É1', [0x65, 0x31]],
  ['aÉ', [0x61, 0x65]],
  ['[MASK]', [...'[mask]'].map((character) => character.codePointAt(0))],
  ['\u0301', []],
  // A mark that is no accent, and waits for its neighbours.
  ['a\u302e', [0x61, 0x302e]],
  ['a\u302eb', [0x61, 0x302e, 0x62]],
])('without accents and capitals: %s', (text, expected) => {
  expect(normalizedCodePoints(new NormalizationTable(BERT), text)).toEqual(expected)
})
