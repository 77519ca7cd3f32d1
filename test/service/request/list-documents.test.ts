import { expect, test } from 'vitest'
import { textsUtf8 } from '../../../src/features/tokenize/tokenized.js'
import { textDocuments } from '../../../src/first-layer/documents.js'
import { ALONE } from '../../../src/first-layer/running/edge.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { InletError } from '../../../src/service/answer/error-table.js'
import { CountingClaim } from '../../counting-claim.js'

const NONE = { allowedSpecial: new Set<string>() }

/** Every second text as UTF-8. */
const textsOf = (strings: readonly string[]) =>
  strings.map((text, i) => (i % 2 === 0 ? text : Buffer.from(text)))

test('documents have the ids and the characters of their texts', async () => {
  const texts = textsOf(['Hello, world!', '🦙', 'é\u0301a'])
  const documents = await textDocuments(await loadEncoding('gpt2'), texts, NONE, 'text', ALONE)
  expect([...documents.ids].slice(0, 4)).toEqual([15496, 11, 995, 0])
  expect([0, 1, 2].map((d) => [documents.start(d), documents.length(d), documents.characters(d)])).toEqual([
    [0, 4, 13],
    [4, 3, 1],
    [7, expect.any(Number), 3],
  ])
  expect(documents.totalCharacters).toBe(17)
})

test('an error about another field than the text stays as it is', async () => {
  const gpt2 = await loadEncoding('gpt2')
  const error = new InletError('tokenizer_unavailable', 'The model’s `text` is not …', 'model')
  const encodeShort = () => {
    throw error
  }
  const failing = { ...gpt2, encodeShort }
  const list = textDocuments(failing, textsOf(['a']), NONE, 'text', ALONE)
  await expect(list).rejects.toBe(error)
})

test('the UTF-8 of texts stands one after the other, in reserved memory', async () => {
  const strings = ['é', '🦙'.repeat(9000), 'a']
  const claim = new CountingClaim()
  const { bytes, starts } = await textsUtf8(textsOf(strings), claim)
  expect(bytes.toString()).toBe(strings.join(''))
  expect([0, 1, 2].map((d) => starts.at(d))).toEqual([0, 2, 36_002])
  expect(claim.taken).toBeGreaterThanOrEqual(bytes.length + 3 * 8)
})
