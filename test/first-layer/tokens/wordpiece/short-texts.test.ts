import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'
import type { StreamOptions } from '../../../../src/first-layer/tokens/tokenizer.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { WordPieceTokenizer } from '../../../../src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { checkProperty } from '../../../property.js'
import { tokenizerFile } from '../rust-library.js'
import { tokenizerTexts } from '../tokenizer-texts.js'

function tokenizerOf(name: string): WordPieceTokenizer {
  const file = readTokenizerFiles({ tokenizer: tokenizerFile(name) })
  if (file.kind !== 'wordpiece') throw new Error(`not for us: ${file.kind}`)
  return new WordPieceTokenizer(file.spec)
}

function streamed(tokenizer: WordPieceTokenizer, text: string, options: StreamOptions): TokenBuffer {
  const stream = tokenizer.stream(options)
  const ids = new TokenBuffer()
  stream.write(Buffer.from(text))
  stream.end()
  while (stream.advance(ids));
  return ids
}

test.each(['wordpiece-uncased', 'wordpiece-cased', 'wordpiece-stripped', 'wordpiece-added'])(
  '%s: short texts, one after the other, get the ids and characters that a stream gives',
  async (name) => {
    const tokenizer = tokenizerOf(name)
    const sets = [new Set(tokenizer.specialTokens.keys()), new Set<string>()]
    const texts = fc.array(fc.tuple(tokenizerTexts, fc.boolean(), fc.constantFrom(...sets)), { maxLength: 4 })
    await checkProperty(
      fc.property(texts, (texts) => {
        for (const [text, addSpecialTokens, allowedSpecial] of texts) {
          const options = { allowedSpecial, addSpecialTokens }
          const short = tokenizer.encodeShort(text, options)
          if (short === undefined) continue
          const expected = streamed(tokenizer, text, options)
          expect([...short]).toEqual([...expected])
          expect(short.characters).toBe(expected.characters)
        }
      }),
      500,
    )
  },
)

test('ids are added behind those of earlier texts', () => {
  const tokenizer = tokenizerOf('wordpiece-uncased')
  const options = { allowedSpecial: new Set<string>() }
  const ids = TokenBuffer.of([7])
  expect(tokenizer.encodeShort('the dog', options, ids)).toBe(ids)
  expect([...ids]).toEqual([7, ...streamed(tokenizer, 'the dog', options)])
})

test('a text of many characters, and a request for ranges, are left to a stream', () => {
  const tokenizer = tokenizerOf('wordpiece-uncased')
  const allowedSpecial = new Set<string>()
  expect(tokenizer.encodeShort('中'.repeat(4096), { allowedSpecial })).toHaveLength(4096)
  expect(tokenizer.encodeShort('中'.repeat(4097), { allowedSpecial })).toBeUndefined()
  expect(tokenizer.encodeShort('a', { allowedSpecial, ranges: true })).toBeUndefined()
})
