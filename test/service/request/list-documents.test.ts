import { expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { Documents, TextDocuments } from '../../../src/first-layer/windows/documents.js'
import { InletError } from '../../../src/service/answer/error-table.js'
import { UNBOUNDED } from '../../../src/service/process/claim.js'
import { listDocuments, textsUtf8 } from '../../../src/service/request/documents/token-documents.js'
import { CountingClaim } from '../../counting-claim.js'

const NONE = { allowedSpecial: new Set<string>() }

/** Every second text as UTF-8. */
const textsOf = (strings: readonly string[]) =>
  strings.map((text, i) => (i % 2 === 0 ? text : Buffer.from(text)))

test('documents have the ids and the characters of their texts', async () => {
  const texts = textsOf(['Hello, world!', '🦙', 'é\u0301a'])
  const documents = await listDocuments(
    TextDocuments,
    await loadEncoding('gpt2'),
    texts,
    NONE,
    'text',
    UNBOUNDED,
  )
  expect([...documents.ids].slice(0, 4)).toEqual([15496, 11, 995, 0])
  expect([0, 1, 2].map((d) => [documents.start(d), documents.length(d), documents.characters(d)])).toEqual([
    [0, 4, 13],
    [4, 3, 1],
    [7, expect.any(Number), 3],
  ])
  expect(documents.totalCharacters).toBe(17)
})

test.each([
  [Documents, 8],
  [TextDocuments, 16],
])('%o hold 4 bytes a token and their own a document of what was reserved', async (kind, bytes) => {
  const claim = new CountingClaim()
  const strings = Array.from({ length: 300 }, (_, i) => `text ${i} `.repeat(1 + i))
  const gpt2 = await loadEncoding('gpt2')
  const documents = await listDocuments<Documents>(kind, gpt2, textsOf(strings), NONE, 'text', claim)
  expect(claim.taken).toBe(4 * documents.totalTokens + bytes * 300)
})

test('an error about another field than the text stays as it is', async () => {
  const gpt2 = await loadEncoding('gpt2')
  const error = new InletError('tokenizer_unavailable', 'The model’s `text` is not …', 'model')
  const encodeShort = () => {
    throw error
  }
  const failing = { ...gpt2, encodeShort }
  const list = listDocuments(Documents, failing, textsOf(['a']), NONE, 'text', UNBOUNDED)
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
