import { describe, expect, test } from 'vitest'
import { run } from '../../src/first-layer/steps.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import { TextDocuments } from '../../src/first-layer/windows/text-documents.js'
import type { EncodedAnswer } from '../../src/wire/formats/format.js'
import { tokenizedTensors } from '../../src/wire/token-tensors.js'
import { tokenizedJson } from '../../src/wire/tokenized.js'
import { listCounts } from '../../src/wire/tokenized-list.js'
import { collect } from '../collect.js'

const gpt2 = await loadEncoding('gpt2')

/** Documents of so many tokens each, all of them `a`. */
function documentsOf(...lengths: readonly number[]): TextDocuments {
  const documents = new TextDocuments()
  for (const length of lengths) {
    documents.ids.append(new Int32Array(length).fill(64))
    documents.ids.characters += length
    documents.endDocument()
  }
  return documents
}

/** The two answers in JSON to a list. */
const ANSWERS = {
  'of tokens': (list: TextDocuments) => tokenizedJson(gpt2, list.ids, list),
  'of counts': (list: TextDocuments) => listCounts(list),
}

describe.each(Object.entries(ANSWERS))('the answer %s', (_, answerTo) => {
  test('has its texts where their tokens are, those without tokens too, and the size that it gives', async () => {
    const lengths = [0, 1, 255, 0, 0, 257, 65_536, 2, 0]
    const { size, body } = run<EncodedAnswer>(answerTo(documentsOf(...lengths)))
    const { bytes } = await collect(body)
    expect(bytes.length).toBe(size)
    const { documents, tokens } = JSON.parse(bytes.toString())
    let start = 0
    for (const [d, num_tokens] of lengths.entries()) {
      expect(documents[d]).toEqual({ start, num_tokens, num_characters: num_tokens })
      if (tokens !== undefined && num_tokens > 0) {
        expect([tokens[start].start, tokens[start + num_tokens - 1].end]).toEqual([0, num_tokens])
      }
      start += num_tokens
    }
  })

  test('to many texts is made in blocks of no great length', async () => {
    const list = documentsOf(...Array(60_000).fill(1))
    const answer = run<EncodedAnswer>(answerTo(list))
    const { blocks } = await collect(answer.body)
    expect(Math.max(...blocks)).toBeLessThanOrEqual(1 << 16)
  })
})

test('tensors of texts without tokens', () => {
  const { tensors } = tokenizedTensors(gpt2, documentsOf(0, 0).ids, 'a-model', documentsOf(0, 0))
  expect(tensors.map(({ name, shape }) => [name, shape])).toEqual([
    ['input_ids', [0]],
    ['token_ranges', [0, 2]],
    ['document_starts', [3]],
  ])
  const sizes = tensors.map(({ blocks }) => Buffer.concat([...blocks()] as Uint8Array[]).length)
  expect(sizes).toEqual([0, 0, 12])
})
