import { expect, test } from 'vitest'
import type { DecodedText } from '../../src/first-layer/tokens/decoded-text.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../src/first-layer/tokens/token-buffer.js'
import { TextDocuments } from '../../src/first-layer/windows/text-documents.js'
import { neighborsJson } from '../../src/http/routes/neighbors.js'
import { decodedBytes } from '../../src/requests/text-of-ids.js'
import { detokenizedJson } from '../../src/wire/detokenized.js'
import { binaryIds } from '../../src/wire/inference/binary-ids.js'
import { binaryTexts } from '../../src/wire/inference/binary-texts.js'
import { tokenizedJson } from '../../src/wire/tokenized.js'
import { listCounts } from '../../src/wire/tokenized-list.js'
import { pausesOf } from '../pauses.js'

const gpt2 = await loadEncoding('gpt2')
/** More ids than a step of any work takes. */
const ids = TokenBuffer.of(new Int32Array(300_000).fill(1))
const decoded: DecodedText = { lossy: false, parts: () => Array.from({ length: 10 }, () => 'abc') }
const found = Array.from({ length: 10 }, () => [{ id: 1, score: 1 }])
const frame = { model: 'a', modelVersion: '1', textOf: () => 'b' }

/** Strings as the binary form of the Open Inference Protocol has them. */
function lengthsAndTexts(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(text.length)
      return [length, Buffer.from(text)]
    }),
  )
}

function manyDocuments(): TextDocuments {
  const documents = new TextDocuments()
  for (let d = 0; d < 3000; d++) documents.endDocument()
  return documents
}

test.each([
  ['the size of a decoded text', () => decodedBytes(decoded, Number.POSITIVE_INFINITY)],
  ['the size of a text of ids', () => detokenizedJson(gpt2.vocabulary, ids, ids.length)],
  ['the size of a list of tokens', () => tokenizedJson(gpt2, ids)],
  ['the size of a list of texts', () => listCounts(manyDocuments())],
  ['many short texts', () => binaryTexts(lengthsAndTexts(Array(10).fill('abc')), 'text', 10)],
  ['a long text', () => binaryTexts(lengthsAndTexts(['a'.repeat(2_000_000)]), 'text', 1)],
  ['ids in binary', () => binaryIds(Buffer.alloc(4_000_000), 'INT32')],
  ['the nearest tokens of many queries', () => neighborsJson(found, frame)],
])('%s: pauses between its steps', (_, work) => {
  expect(pausesOf(work())).toBeGreaterThan(3)
})
