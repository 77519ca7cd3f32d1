import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES, ENCODINGS, type EncodingName } from '../../../src/first-layer/tokens/encodings.js'
import type { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { stride } from '../../property.js'
import { tokenizeText } from './tokenize-text.js'

const golden = JSON.parse(readFileSync(new URL('../../goldens/tiktoken.json', import.meta.url), 'utf8'))
const data = new URL('../../../shared/data/', import.meta.url)

const sha256 = (ids: TokenBuffer) =>
  createHash('sha256').update(new Uint8Array(ids.toInt32Array().buffer)).digest('hex')

/** The hostile texts that the golden describes instead of listing them. */
const HOSTILE: Record<string, string> = {
  'a*100000': 'a'.repeat(100_000),
  'spaces*100000+x': `${' '.repeat(100_000)}x`,
  'newlines*50000': '\n'.repeat(50_000),
  '.*100000': '.'.repeat(100_000),
  'quotes*50000': "'".repeat(50_000),
  'astral*20000': '\u{1d400}'.repeat(20_000),
  'marks*20000': `e${'\u0301'.repeat(20_000)}`,
  'crlf*30000': '\r\n'.repeat(30_000),
  ...golden.hostile_texts,
}

/** `a{c}b {c}{c}1\n` for each of the 4,096 code points of a block but the surrogates. */
function blockText(block: number): string {
  let text = ''
  for (let codePoint = block * 4096; codePoint < (block + 1) * 4096; codePoint++) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue
    const c = String.fromCodePoint(codePoint)
    text += `a${c}b ${c}${c}1\n`
  }
  return text
}

describe.each(ENCODING_NAMES)('%s gives the ids of tiktoken 0.14', (name) => {
  const expected = golden.encodings[name]
  let encoding: Tokenizer
  const none = new Set<string>()
  beforeAll(async () => {
    encoding = await loadEncoding(name)
  })

  test('for its own facts', () => {
    expect(encoding.vocabSize).toBe(expected.n_vocab)
    expect(ENCODINGS[name as EncodingName].vocabSize).toBe(expected.n_vocab)
    expect(Object.fromEntries(encoding.specialTokens)).toEqual(expected.special_tokens)
    expect(encoding.endOfText).toBe(expected.special_tokens['<|endoftext|>'])
  })

  test('for mixed strings', async () => {
    for (const [i, text] of golden.strings.entries())
      expect([...tokenizeText(encoding, text, { allowedSpecial: none })], JSON.stringify(text)).toEqual(
        expected.strings[i],
      )
  })

  test('for strings with every special token allowed', async () => {
    const all = new Set(encoding.specialTokens.keys())
    for (const [i, text] of golden.strings.entries()) {
      const ids = expected.strings_all_special[i] ?? expected.strings[i]
      expect([...tokenizeText(encoding, text, { allowedSpecial: all })], JSON.stringify(text)).toEqual(ids)
    }
  })

  // Of the planes behind the first two, of which few code points are assigned, one block each.
  test('for every code point of the first two planes, and for some of each other', async () => {
    const { length } = expected.code_point_blocks
    for (let block = 0; block < length; block += block < 32 ? 1 : stride(16)) {
      const hash = sha256(tokenizeText(encoding, blockText(block), { allowedSpecial: none }))
      expect(hash.slice(0, 16), `block ${block}`).toBe(expected.code_point_blocks[block])
    }
  })

  test.each(Object.keys(expected.hostile))('for %s', async (key) => {
    const ids = tokenizeText(encoding, HOSTILE[key]!, { allowedSpecial: none })
    expect({ n: ids.length, sha256: sha256(ids) }).toEqual(expected.hostile[key])
  })

  for (const file of Object.keys(expected.corpora)) {
    const path = ['corpora/', ''].map((folder) => new URL(folder + file, data)).find((url) => existsSync(url))
    if (!path) console.log(`skipped: ${file} is not in ../shared/data`)
    test.skipIf(!path)(`for the corpus ${file}`, async () => {
      const ids = tokenizeText(encoding, readFileSync(path!, 'utf8'), { allowedSpecial: none })
      expect({ n: ids.length, sha256: sha256(ids) }).toEqual(expected.corpora[file])
    })
  }
})
