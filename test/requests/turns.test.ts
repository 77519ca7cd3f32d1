import { describe } from 'vitest'
import type { Model } from '../../src/first-layer/embeddings/model.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../src/first-layer/tokens/token-buffer.js'
import { Documents } from '../../src/first-layer/windows/documents.js'
import { idsBelow } from '../../src/requests/ids-below.js'
import { keptLengths, maskedDocuments } from '../../src/requests/masked-documents.js'
import { textBytes } from '../../src/requests/text-bytes.js'
import { textsUtf8 } from '../../src/requests/text-ids.js'
import { documentsOf } from '../../src/requests/token-documents.js'
import { tokenTypesOf } from '../../src/requests/token-types.js'
import { IdLists } from '../../src/wire/id-lists.js'
import { BinaryTexts } from '../../src/wire/inference/binary-texts.js'
import { testTurns } from '../takes-turns.js'

/** More ids than a step of any work takes. */
const MANY = 500_000

const ones = Documents.of(TokenBuffer.of(new Int32Array(MANY).fill(1)))
const text = {
  length: 30_000,
  toString: () => 'abc',
  pieces: () => Array.from({ length: 10 }, () => Buffer.from('abc')),
}
const gpt2 = await loadEncoding('gpt2')

describe('ids compared with the rows of a table', () =>
  testTurns((claim) => idsBelow(new IdLists(ones), 2, 'rows', 'ids', claim)))

describe('a mask', () => testTurns((claim) => keptLengths(ones, claim)))

describe('ids without those that a mask hides', () =>
  testTurns((claim) => maskedDocuments(ones, [MANY], claim)))

describe('a long text in one piece', () => testTurns((claim) => textsUtf8([text], claim)))

describe('the sizes of many texts', () =>
  testTurns((claim) =>
    textsUtf8(
      Array.from({ length: 10 }, () => ({ ...text, length: 3 })),
      claim,
    ),
  ))

describe('the lengths of tokens', () =>
  testTurns((claim) => textBytes(gpt2, gpt2.vocabulary, ones.ids, claim)))

describe('token types of many documents', () => {
  const lists = new IdLists()
  lists.isList = true
  for (let d = 0; d < 50_000; d++) {
    lists.documents.ids.push(1)
    lists.documents.endDocument()
  }
  const model = { spec: { typeVocabSize: 2 } } as Model
  const bert = { name: 'bert', steps: ['types'] } as never
  testTurns((claim) => tokenTypesOf(model, bert, lists, lists, claim))
})

describe('many short texts', () => {
  const texts = Object.assign(new BinaryTexts(10, () => Buffer.from('abc')), { isList: true })
  const model = { spec: { tokenizer: gpt2, vocabSize: gpt2.vocabSize } } as Model
  const how = { allowedSpecial: new Set<string>() }
  testTurns(async (claim) => [...(await documentsOf(model, texts, how, claim)).ids])
})
