import { expect, test } from 'vitest'
import {
  NormalizationTable,
  normalizedText,
  UNCHANGED,
} from '../../../../src/first-layer/tokens/wordpiece/normalization.js'

const BERT = { ...UNCHANGED, lowercase: true, clean_text: true }

// The names of added tokens that are looked for in the normalized text.
test.each([
  ['É', 'e'],
  ['É1', 'e1'],
  ['aÉ', 'ae'],
  ['[MASK]', '[mask]'],
  ['\u0301', ''],
  // A mark that is no accent, and waits for its neighbours.
  ['a\u302e', 'a\u302e'],
  ['a\u302eb', 'a\u302eb'],
])('without accents and capitals: %s', (text, expected) => {
  expect(normalizedText(new NormalizationTable(BERT), text)).toEqual(expected)
})
