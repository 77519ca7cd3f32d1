import { expect, test } from 'vitest'
import { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { WordPieceTokenizer } from '../../../../src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { tokenizerFile } from '../rust-library.js'

function tokenizerOf(name: string): WordPieceTokenizer {
  const file = readTokenizerFiles({ tokenizer: tokenizerFile(name) })
  if (file.kind !== 'wordpiece') throw new Error(`not for us: ${file.kind}`)
  return new WordPieceTokenizer(file.spec)
}

test('ids are added behind those of earlier texts', () => {
  const tokenizer = tokenizerOf('wordpiece-uncased')
  const options = { allowedSpecial: new Set<string>() }
  const ids = TokenBuffer.of([7])
  expect(tokenizer.encodeShort('the dog', options, ids)).toBe(ids)
  expect([...ids]).toEqual([7, ...tokenizer.encodeShort('the dog', options)!])
})

test('a text of many characters, and a request for ranges, are left to a stream', () => {
  const tokenizer = tokenizerOf('wordpiece-uncased')
  const allowedSpecial = new Set<string>()
  expect(tokenizer.encodeShort('中'.repeat(4096), { allowedSpecial })).toHaveLength(4096)
  expect(tokenizer.encodeShort('中'.repeat(4097), { allowedSpecial })).toBeUndefined()
  expect(tokenizer.encodeShort('a', { allowedSpecial, ranges: true })).toBeUndefined()
})
