import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bytePairTokenizer } from '../../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { trainTokenizer } from '../../../../src/library/train-tokenizer.js'
import { tokenizeText } from '../tokenize-text.js'
import { golden, randomTexts, textsOf } from './texts.js'

const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

interface Trained {
  readonly model: { readonly vocab: Record<string, number>; readonly merges: readonly [string, string][] }
  readonly added_tokens: readonly { readonly content: string; readonly id: number }[]
}

async function trained(texts: Iterable<string>, options: object) {
  const { tokenizer } = await trainTokenizer(texts, options as Parameters<typeof trainTokenizer>[1])
  const { model, added_tokens } = tokenizer as unknown as Trained
  const vocabulary: string[] = []
  for (const [token, id] of Object.entries(model.vocab)) vocabulary[id] = token
  for (const { content, id } of added_tokens) vocabulary[id] = content
  return { tokenizer, merges: model.merges, vocabulary }
}

describe('merges and vocabulary are those of tokenizers 0.23.3 and rustbpe 0.1.0', () => {
  for (const { id, documents, options, expect: expected, encode = [] } of golden.cases) {
    it(id, async ({ skip }) => {
      const texts = await textsOf(golden.documents[documents]!)
      if (texts === undefined) return skip('its text lies beside the project')
      const { tokenizer, merges, vocabulary } = await trained(texts, options)
      expect(merges.length).toBe(expected.num_merges)
      if (expected.merges && expected.merges_sha256 === undefined) expect(merges).toEqual(expected.merges)
      else expect(sha256(merges)).toBe(expected.merges_sha256)
      expect(vocabulary.length).toBe(expected.num_tokens)
      expect(sha256(vocabulary)).toBe(expected.vocabulary_sha256)
      if (encode.length === 0) return
      const read = readTokenizerFiles({ tokenizer: JSON.stringify(tokenizer) })
      if (read.kind !== 'byte_pair') return expect(options.pattern).toMatch(/\(\?=/) // the Rust library encodes it
      const own = await bytePairTokenizer(read.spec)
      for (const { text, ids } of encode) {
        const allowedSpecial = new Set(own.specialTokens.keys())
        expect([...tokenizeText(own, text, { allowedSpecial })], text).toEqual(ids)
      }
    })
  }

  it(`${golden.random.length} random texts and options`, async () => {
    for (const { random, options, ...expected } of golden.random) {
      const { merges, vocabulary } = await trained(randomTexts(random), options)
      const found = {
        num_merges: merges.length,
        merges_sha256: sha256(merges).slice(0, expected.merges_sha256.length),
        vocabulary_sha256: sha256(vocabulary).slice(0, expected.vocabulary_sha256.length),
      }
      expect(found, JSON.stringify(random)).toEqual(expected)
    }
  })
})

it.each(golden.refused)('refused: $options names $field', async ({ documents, options, field }) => {
  const texts = (await textsOf(golden.documents[documents]!))!
  await expect(trained(texts, options)).rejects.toMatchObject({ code: 'invalid_request', param: field })
})
