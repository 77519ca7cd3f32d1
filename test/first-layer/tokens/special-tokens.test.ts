import { describe, expect, test } from 'vitest'
import { driveAsync } from '../../../src/first-layer/running/drive.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES } from '../../../src/first-layer/tokens/encodings.js'
import { tokenizeBytes, tokenizeText } from '../../../src/first-layer/tokens/tokenize.js'

const END = '<|endoftext|>'

describe.each(ENCODING_NAMES)('special tokens of %s', (name) => {
  const encodingOf = () => loadEncoding(name)
  const policies: [string, (all: Iterable<string>) => Set<string>][] = [
    ['the end of text only', () => new Set([END])],
    ['none', () => new Set()],
    ['all', (all) => new Set(all)],
  ]
  const places: [string, (literal: string) => string][] = [
    ['alone', (s) => s],
    ['at the start', (s) => `${s}Hello, it's me`],
    ['in the middle', (s) => `Hello ${s} world`],
    ['at the end', (s) => `Hello  \n ${s}`],
    ['twice in a row', (s) => `a${s}${s}b`],
    ['after its own beginning', (s) => `<|end${s}<|`],
  ]

  describe.each(policies)('allowed: %s', (_, choose) => {
    test.each(places)('%s', async (_, place) => {
      const encoding = await encodingOf()
      const allowed = choose(encoding.specialTokens.keys())
      for (const [literal, id] of encoding.specialTokens) {
        const text = place(literal)
        // The definition: the text between is tokenized as if it were alone.
        const expected: number[] = []
        for (const [i, part] of (allowed.has(literal) ? text.split(literal) : [text]).entries()) {
          if (i > 0) expected.push(id)
          expected.push(...(await driveAsync(tokenizeText(encoding, part, { allowedSpecial: new Set() }))))
        }
        expect([...(await driveAsync(tokenizeText(encoding, text, { allowedSpecial: allowed })))]).toEqual(
          expected,
        )
        const utf8 = Buffer.from(text)
        for (let cut = 0; cut <= utf8.length; cut++) {
          const chunks = [utf8.subarray(0, cut), utf8.subarray(cut)]
          expect(
            [...(await driveAsync(tokenizeBytes(encoding, chunks, { allowedSpecial: allowed })))],
            `cut at ${cut}`,
          ).toEqual(expected)
        }
      }
    })
  })

  test('a literal of another encoding is refused', async () => {
    const encoding = await encodingOf()
    expect(() => encoding.stream({ allowedSpecial: new Set(['<|nothing|>']) })).toThrow(
      '"<|nothing|>" is no special token',
    )
  })
})

test('<|endoftext|> as ordinary text is seven tokens of gpt2', async () => {
  const gpt2 = await loadEncoding('gpt2')
  expect([...(await driveAsync(tokenizeText(gpt2, END, { allowedSpecial: new Set() })))]).toEqual([
    27, 91, 437, 1659, 5239, 91, 29,
  ])
  expect([...(await driveAsync(tokenizeText(gpt2, END, { allowedSpecial: new Set([END]) })))]).toEqual([
    50256,
  ])
})
