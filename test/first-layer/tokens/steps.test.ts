import { describe, expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES } from '../../../src/first-layer/tokens/encodings.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { tokenizeAsync } from '../../../src/first-layer/tokens/tokenize.js'
import { bytesOfToken } from '../../../src/first-layer/tokens/vocabulary.js'
import { tokenizeText } from './tokenize-text.js'

const KIB = 1024
const none: ReadonlySet<string> = new Set()

/** Steps in which a text is tokenized. */
async function stepsOf(name: (typeof ENCODING_NAMES)[number], text: string): Promise<number> {
  const encoding = await loadEncoding(name)
  const stream = encoding.stream({ allowedSpecial: none })
  stream.write(Buffer.from(text))
  stream.end()
  const ids = new TokenBuffer()
  let steps = 1
  while (stream.advance(ids)) steps++
  return steps
}

describe('a step does a bounded amount of work', () => {
  test.each(ENCODING_NAMES)('ordinary text takes one for 16 KiB (%s)', async (name) => {
    const text = 'The boat came in on the tide, and the tide went out. '.repeat(2000).slice(0, 64 * KIB)
    expect(await stepsOf(name, text)).toBeLessThan(8)
  })

  // A vocabulary with many tokens of one repeated character tries thirty of them a byte.
  test.each([
    ['o200k_base', '-'],
    ['o200k_base', '='],
    ['cl100k_base', '-'],
    ['p50k_base', ' '],
  ] as const)('text that is dear takes many (%s, %j)', async (name, character) => {
    expect(await stepsOf(name, character.repeat(64 * KIB))).toBeGreaterThan(50)
    const rules = `${character.repeat(500)}\n|`.repeat(128)
    expect(await stepsOf(name, rules)).toBeGreaterThan(20)
  })

  test('a short text that takes long is tokenized in several', async () => {
    const encoding = await loadEncoding('o200k_base')
    const text = '-'.repeat(5000)
    expect(encoding.encodeShort?.(text, { allowedSpecial: none }, new TokenBuffer())).toBe(false)
    const ids = tokenizeText(encoding, text, { allowedSpecial: none })
    expect(Buffer.concat([...ids].map((id) => bytesOfToken(encoding.vocabulary, id)!)).toString()).toBe(text)
    const after = new TokenBuffer()
    expect(encoding.encodeShort?.('Hello, world!', { allowedSpecial: none }, after)).toBe(true)
    expect(after).toHaveLength(4) // nothing of the other text is left in the kernel
  })
})

test('other work comes before a short text, and between the slices of a long one', async () => {
  const encoding = await loadEncoding('gpt2')
  const pauses: number[] = []
  const between = async (bytes: number) => void pauses.push(bytes)
  expect([...(await tokenizeAsync(encoding, 'a word', { allowedSpecial: none }, { between }))]).toEqual([
    64, 1573,
  ])
  expect(pauses).toHaveLength(1)
  const ids = await tokenizeAsync(encoding, 'a word '.repeat(20_000), { allowedSpecial: none }, { between })
  expect(pauses.length).toBeGreaterThan(5)
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(ids.byteLength)
})
