import { describe, expect, test } from 'vitest'
import { Instances } from '../../../../src/first-layer/tokens/rust/instances.js'
import type { Library } from '../../../../src/first-layer/tokens/rust/library.js'

const JSON_FILE = JSON.stringify({
  added_tokens: [
    { id: 0, content: '<s>', normalized: false },
    { id: 1, content: '</s>', normalized: false },
    { id: 2, content: '<Mask>', normalized: true },
  ],
  model: { vocab: { a: 3 } },
})
const FORBIDDEN = ['<s>', '</s>']

/** Instances of the file, and the files given to a library that only notes them. */
function instances() {
  const made: string[] = []
  const library = { Tokenizer: { fromString: (json: string) => ({ number: made.push(json) }) } }
  return { own: new Instances(library as unknown as Library, JSON_FILE), made }
}

describe('tokenizers of one file', () => {
  test('serve a text without forbidden literals with the instance at hand', () => {
    const { own, made } = instances()
    for (const forbidden of [['<s>'], ['</s>'], FORBIDDEN, []])
      expect(own.without(forbidden, 'a < s > b')).toBe(own.whole)
    expect(made).toHaveLength(1)
  })

  test('get one more instance for the forbidden literals in a text, which later texts reuse', () => {
    const { own, made } = instances()
    const variant = own.without(FORBIDDEN, 'a<s>b')
    expect(variant).not.toBe(own.whole)
    expect(own.without(['<s>'], '<s>')).toBe(variant)
    expect(own.without(['</s>'], '<s>')).toBe(own.whole)
    expect(made).toHaveLength(2)
    expect(made[1]).not.toContain('"<s>"')
    expect(made[1]).toContain('"</s>"')
  })

  test('count a literal that the library searches in normalized text as present in every text', () => {
    const { own, made } = instances()
    expect(own.without(['<Mask>'], 'no literal, perhaps <mask>')).not.toBe(own.whole)
    expect(made[1]).not.toContain('"<Mask>"')
  })
})
