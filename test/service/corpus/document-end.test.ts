import { expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { documentEndOf } from '../../../src/service/corpus/upload-fields.js'

test('the end of a document is an id, or the tokenizer’s end of text', async () => {
  const gpt2 = await loadEncoding('gpt2')
  expect(documentEndOf('endoftext', gpt2)).toBe(50_256)
  expect(documentEndOf(0, gpt2)).toBe(0)
  expect(documentEndOf(2 ** 31 - 1, undefined)).toBe(2 ** 31 - 1)
  expect(documentEndOf(undefined, gpt2)).toBeUndefined()
  const without = { ...gpt2, endOfText: undefined }
  for (const tokenizer of [without, undefined])
    expect(() => documentEndOf('endoftext', tokenizer)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'document_end' }),
    )
  expect(() => documentEndOf(50_257, gpt2)).toThrow(
    expect.objectContaining({
      code: 'token_out_of_range',
      message: expect.stringMatching(/below 50257.*Given: 50257/),
    }),
  )
})
