import { Tiktoken as JsTiktoken } from 'js-tiktoken/lite'
import cl100kRanks from 'js-tiktoken/ranks/cl100k_base'
import gpt2Ranks from 'js-tiktoken/ranks/gpt2'
import { get_encoding } from 'tiktoken'
import { describe, expect, test } from 'vitest'
import { driveAsync } from '../../../src/first-layer/running/drive.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import type { EncodingName } from '../../../src/first-layer/tokens/encodings.js'
import { tokenizeText } from '../../../src/first-layer/tokens/tokenize.js'
import { piecesOf, rangesOf } from '../../twins/tokens/twin-encoding.js'
import { DIFFERENT, expectSameIds } from './expect-same-ids.js'
import { randomNumbers, randomText, seedOfThisRun } from './random-texts.js'

const none: ReadonlySet<string> = new Set()
const seed = seedOfThisRun()

const idsOf = async (name: EncodingName, text: string) => [
  ...(await driveAsync(tokenizeText(await loadEncoding(name), text, { allowedSpecial: none }))),
]

describe("the ids are those of npm's tiktoken", () => {
  test.each(DIFFERENT)('%s, over random texts', async (name) => {
    const encoding = await loadEncoding(name)
    const npm = get_encoding(name)
    const random = randomNumbers(seed)
    for (let count = 1_000; count > 0; count--) {
      const text = randomText(random, 30)
      expectSameIds(
        await driveAsync(tokenizeText(encoding, text, { allowedSpecial: none })),
        npm.encode_ordinary(text),
        text,
      )
    }
    npm.free()
  })
})

describe('the ids are those of js-tiktoken', () => {
  const js = new JsTiktoken(gpt2Ranks)
  const encode = (text: string) => js.encode(text, [], [])

  test('over random short texts without the characters that depend on the Unicode of this Node', async () => {
    const random = randomNumbers(seed)
    for (let count = 1_000; count > 0; count--) {
      const text = [...randomText(random, 12)].filter((c) => !seenOtherwise(c)).join('')
      expect(await idsOf('gpt2', text), JSON.stringify(text)).toEqual(encode(text))
    }
  })

  test('but for U+0085, which is whitespace here', async () => {
    expect(await idsOf('gpt2', 'x \u0085y')).toEqual([87, 220, 126, 227, 88])
    expect(encode('x \u0085y')).toEqual([87, 1587, 227, 88])
  })

  test('but for U+FEFF, which is no whitespace here', async () => {
    expect(await idsOf('gpt2', ' \ufeffy')).toEqual([27332, 119, 123, 88])
    expect(encode(' \ufeffy')).toEqual([220, 171, 119, 123, 88])
  })

  test('but for U+017F, which ends a contraction and so cuts a word in cl100k_base', () => {
    expect(piecesOf('cl100k', "a'\u017fb")).toEqual(['a', "'\u017f", 'b'])
    expect("a'\u017fb".match(new RegExp(cl100kRanks.pat_str, 'gu'))).toEqual(['a', "'\u017fb"])
  })

  test.skipIf(!/\p{L}/u.test('\u0c5c'))('but for letters newer than Unicode 16, which are none here', () => {
    expect(piecesOf('gpt2', 'a\u0c5cb')).toEqual(['a', '\u0c5c', 'b'])
    expect('a\u0c5cb'.match(new RegExp(gpt2Ranks.pat_str, 'gu'))).toEqual(['a\u0c5cb'])
  })
})

const FROZEN = ['L', 'N', 's'].map((property) => new RegExp(`[${rangesOf(property)}]`, 'u'))
const OF_NODE = [/\p{L}/u, /\p{N}/u, /\s/u]

/** Whether Node sees the character in another class than Unicode 16.0.0 as tiktoken reads it. */
function seenOtherwise(character: string): boolean {
  return FROZEN.some((each, i) => each.test(character) !== OF_NODE[i]!.test(character))
}
