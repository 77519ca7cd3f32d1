import { expect, test } from 'vitest'
import { keptLengths, maskedDocuments } from '../../../src/features/open-inference/masked-documents.js'
import type { Model } from '../../../src/first-layer/embeddings/model.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { Documents } from '../../../src/first-layer/windows/documents.js'
import { IdLists } from '../../../src/first-layer/windows/id-lists.js'
import { textBytes } from '../../../src/service/answer/text-of-ids.js'
import { idsBelow, tokenTypesOf } from '../../../src/service/request/documents/id-documents.js'
import { listDocuments, textsUtf8 } from '../../../src/service/request/documents/token-documents.js'
import { pausesOf } from '../../pauses.js'

/** More ids than a step of any work takes. */
const MANY = 500_000

const ones = Documents.of(TokenBuffer.of(new Int32Array(MANY).fill(1)))
const texts = Array<string>(10).fill('abc')
const gpt2 = await loadEncoding('gpt2')
const model = { spec: { typeVocabSize: 2 } } as Model
const bert = { name: 'bert', steps: ['types'] } as never

/** Lists of one id each. */
function manyLists(): IdLists {
  const lists = new IdLists(true)
  for (let d = 0; d < 50_000; d++) {
    lists.documents.ids.push(1)
    lists.documents.endDocument()
  }
  return lists
}

test.each([
  ['ids compared with the rows of a table', () => idsBelow(new IdLists(false, ones), 2, 'rows', 'ids')],
  ['a mask', () => keptLengths(ones)],
  ['ids without those that a mask hides', () => maskedDocuments(ones, [MANY])],
  ['many texts in one piece', () => textsUtf8(texts)],
  ['the lengths of tokens', () => textBytes(gpt2, gpt2.vocabulary, ones.ids)],
  ['token types of many documents', () => tokenTypesOf(model, bert, manyLists(), manyLists())],
  ['many short texts', () => listDocuments(Documents, gpt2, texts, { allowedSpecial: new Set() }, 'text')],
])('%s: pauses between its steps', (_, work) => {
  expect(pausesOf(work())).toBeGreaterThan(3)
})
