import { expect, test } from 'vitest'
import { documentFrame, frameFields } from '../../src/corpus/document-frame.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'

const endOf = (document_end: number | 'endoftext' | 'eos' | 'bos' | undefined, tokenizer: Given) =>
  documentFrame({ document_end }, tokenizer).documentEnd
type Given = Parameters<typeof documentFrame>[1]

test('the end of a document is an id, or the tokenizer’s end of text', async () => {
  const gpt2 = await loadEncoding('gpt2')
  expect(endOf('endoftext', gpt2)).toBe(50_256)
  expect(endOf('eos', gpt2)).toBe(50_256)
  expect(endOf(0, gpt2)).toBe(0)
  expect(endOf(2 ** 31 - 1, undefined)).toBe(2 ** 31 - 1)
  expect(endOf(undefined, gpt2)).toBeUndefined()
  const without = { ...gpt2, endOfText: undefined, marks: {} }
  for (const tokenizer of [without, undefined])
    expect(() => endOf('endoftext', tokenizer)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'document_end' }),
    )
  expect(() => endOf(50_257, gpt2)).toThrow(
    expect.objectContaining({
      code: 'token_out_of_range',
      message: expect.stringMatching(/below 50257.*Given: 50257/),
    }),
  )
})

test('`endoftext` is that literal where it is a token; `eos` and `bos` are the tokenizer’s own', async () => {
  const gpt2 = await loadEncoding('gpt2')
  const qwen = { ...gpt2, endOfText: 7, marks: { endoftext: 50_256, eos: 7, bos: 5 } } // eos is <|im_end|>
  expect(documentFrame({ document_start: 'bos', document_end: 'endoftext' }, qwen)).toEqual({
    documentStart: 5,
    documentEnd: 50_256,
  })
  expect(endOf('eos', qwen)).toBe(7)
  expect(endOf('endoftext', { ...qwen, marks: { eos: 7 } })).toBe(7)
  expect(() => documentFrame({ document_start: 'bos' }, gpt2)).toThrow(
    '`document_start` must be an id: there is no bos for gpt2. Given: "bos"',
  )
  expect(frameFields({ documentStart: 0, documentEnd: 50_256 }, qwen)).toEqual({
    document_start: 0,
    document_start_literal: '!',
    document_end: 50_256,
    document_end_literal: '<|endoftext|>',
  })
})
