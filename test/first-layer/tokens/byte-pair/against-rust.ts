import { Tokenizer as RustTokenizer } from 'tokenizers'
import { expect } from 'vitest'
import { bytePairTokenizer } from '../../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import type { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'
import type { ByteTokenizer } from '../../../../src/first-layer/tokens/tokenizer.js'
import { bytesOf, textOf } from '../../../twins/tokens/text-of-ids.js'
import { randomNumbers, randomText } from '../random-texts.js'
import { tokenizeText } from '../tokenize-text.js'
import { bytePairSpec, type FILES, tokenizerFile } from './files.js'

const FLAGS = { special: false, normalized: false, lstrip: false, rstrip: false, single_word: false }
const MARKS = [
  ...['e\u0301', 'o\u030b\u0323', '\u0338', '\u1100\u1161\u11a8', 'カ\u3099', '\u0915\u094d', '\u212b'],
  ...['a\u0301\u0316', 'a\u0344\u0316', '\u0344', '\u{1d15e}', '\u0958', '\u{105d2}\u0307'],
  ...['\u0f73\u0f71', '\u2000'],
]

/**
 * Compares ids and ranges of random texts, among them added tokens and characters with marks, and the text of their ids
 * with the Rust library's.
 *
 * @param name a file of test/goldens, or one parsed
 * @param added more added tokens
 */
export async function compareWithRust(
  name: (typeof FILES)[number] | object,
  count: number,
  seed: number,
  added: readonly object[] = [],
): Promise<void> {
  const file = typeof name === 'string' ? tokenizerFile(name) : (name as ReturnType<typeof tokenizerFile>)
  file.added_tokens.push(...added.map((token) => ({ ...FLAGS, ...token })))
  const spec = bytePairSpec(file)
  const ours = await bytePairTokenizer(spec)
  const literals = spec.addedTokens.map(({ content }) => content)
  const rust = RustTokenizer.fromString(JSON.stringify(file))
  const plain = RustTokenizer.fromString(JSON.stringify(withoutSpecialTokens(file)))
  // Without special tokens the library counts the ids of the others again.
  const idOf = new Map(
    spec.addedTokens.filter((t) => !t.special).map((t) => [plain.tokenToId(t.content)!, t.id]),
  )
  const all = new Set(ours.specialTokens.keys())
  const none = new Set<string>()
  const random = randomNumbers(seed)
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)]!
  for (let i = 0; i < count; i++) {
    let text = ''
    for (let parts = Math.ceil(random() * 5); parts > 0; parts--)
      text += randomText(random, Math.floor(random() * 20)) + (random() < 0.5 ? pick(literals) : pick(MARKS))
    const addSpecialTokens = i % 2 === 1
    const expected = await rust.encode(text, null, { addSpecialTokens })
    const options = { allowedSpecial: all, addSpecialTokens, ranges: true }
    const ids = tokenizeText(ours, text, options)
    expect([...ids], JSON.stringify(text)).toEqual(expected.getIds())
    expect(ids.characters, JSON.stringify(text)).toBe([...text].length)
    expectRanges(text, rangesOf(ours, ids), expected.getOffsets())
    expect(textOf(bytesOf(ours, [...ids])).text, JSON.stringify(text)).toBe(
      await rust.decode(expected.getIds(), false),
    )

    const utf8 = Buffer.from(text)
    const cut = Math.floor(random() * utf8.length)
    const parts = [utf8.subarray(0, cut), utf8.subarray(cut, cut + 2), utf8.subarray(cut + 2)]
    const inParts = tokenizeText(ours, parts, options)
    expect([...inParts], `cut at ${cut} ${JSON.stringify(text)}`).toEqual(expected.getIds())
    expect([...(inParts.ranges ?? [])]).toEqual([...(ids.ranges ?? [])])

    const ordinary = (await plain.encode(text, null, { addSpecialTokens: false })).getIds()
    expect([...tokenizeText(ours, text, { allowedSpecial: none })], JSON.stringify(text)).toEqual(
      ordinary.map((id) => idOf.get(id) ?? id),
    )
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as in files.ts
function withoutSpecialTokens(file: any): unknown {
  const added = file.added_tokens.filter(({ special }: { special: boolean }) => !special)
  return { ...file, added_tokens: added, post_processor: null }
}

/** Start and end of each token in bytes: as given with the ids, or computed from the tokens' lengths. */
function rangesOf({ vocabulary }: ByteTokenizer, ids: TokenBuffer): [number, number][] {
  const { ranges } = ids
  let end = 0
  return [...ids].map((id, i) => {
    if (ranges !== undefined) return [ranges.at(2 * i), ranges.at(2 * i + 1)]
    const start = end
    end += vocabulary.offsets[id + 1]! - vocabulary.offsets[id]!
    return [start, end]
  })
}

/** The library counts in characters, of which a token of some bytes has the whole. */
function expectRanges(text: string, ours: readonly (readonly [number, number])[], theirs: number[][]): void {
  const utf8 = Buffer.from(text)
  const places = [0]
  for (const character of text) places.push(places.at(-1)! + Buffer.byteLength(character))
  const isInside = (byte: number) => byte < utf8.length && (utf8[byte]! & 0xc0) === 0x80
  for (const [i, range] of ours.entries()) {
    let [start, end] = range
    while (isInside(start)) start--
    while (isInside(end)) end++
    const [first, last] = [places[theirs[i]![0]!]!, places[theirs[i]![1]!]!]
    const message = `token ${i} of ${JSON.stringify(text)}`
    expect([start, end], message).toEqual([first, last])
  }
}
