import { describe, expect, test } from 'vitest'
import { Instances } from '../../../../src/first-layer/tokens/foreign/instances.js'
import type { Library } from '../../../../src/first-layer/tokens/foreign/library.js'

const JSON_FILE = JSON.stringify({
  added_tokens: [
    { id: 0, content: '<s>', normalized: false },
    { id: 1, content: '</s>', normalized: false },
    { id: 2, content: '<Mask>', normalized: true },
  ],
  model: { vocab: { a: 3 } },
})
const FORBIDDEN = ['<s>', '</s>']

/** Instances of the file, and what was given to the library, which makes nothing of it. */
function instances() {
  const made: string[] = []
  const library = { Tokenizer: { fromString: (json: string) => ({ number: made.push(json) }) } }
  return { own: new Instances(library as unknown as Library, JSON_FILE), made }
}

describe('tokenizers of one file', () => {
  test('a text without the forbidden literals takes the one that is there, whatever is forbidden', () => {
    const { own, made } = instances()
    for (const forbidden of [['<s>'], ['</s>'], FORBIDDEN, []])
      expect(own.without(forbidden, 'a < s > b')).toBe(own.whole)
    expect(made).toHaveLength(1)
  })

  test('one more is made for the forbidden literals that stand in the text, and taken again', () => {
    const { own, made } = instances()
    const variant = own.without(FORBIDDEN, 'a<s>b')
    expect(variant).not.toBe(own.whole)
    expect(own.without(['<s>'], '<s>')).toBe(variant)
    expect(own.without(['</s>'], '<s>')).toBe(own.whole)
    expect(made).toHaveLength(2)
    expect(made[1]).not.toContain('"<s>"')
    expect(made[1]).toContain('"</s>"')
  })

  test('a literal that the library looks for in normalized text is forbidden in every text', () => {
    const { own, made } = instances()
    expect(own.without(['<Mask>'], 'no literal, perhaps <mask>')).not.toBe(own.whole)
    expect(made[1]).not.toContain('"<Mask>"')
  })
})
