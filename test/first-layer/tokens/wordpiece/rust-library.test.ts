import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import {
  type WordPieceTokenizer,
  wordPieceTokenizer,
} from '../../../../src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { checkProperty } from '../../../property.js'
import { hasRustLibrary, type RangedIds, RustLibrary, tokenizerFile } from '../rust-library.js'
import { tokenizerTexts } from '../tokenizer-texts.js'

/** A hundred thousand texts a file: `FAST_CHECK_TIMES=500 npx vitest run test/first-layer/tokens/wordpiece`. */
const RUNS = 200
const TIMES = Number(process.env.FAST_CHECK_TIMES ?? 1)

function tokenizerOf(json: string): WordPieceTokenizer {
  const file = readTokenizerFiles({ tokenizer: json })
  if (file.kind !== 'wordpiece') throw new Error(`not for us: ${file.kind}`)
  return wordPieceTokenizer(file.spec)
}

function encode(
  tokenizer: WordPieceTokenizer,
  text: string,
  addSpecialTokens: boolean,
  cut: number,
): RangedIds & { characters: number } {
  const allowedSpecial = new Set(tokenizer.specialTokens.keys())
  const stream = tokenizer.stream({ allowedSpecial, addSpecialTokens, ranges: true })
  const ids = new TokenBuffer()
  const utf8 = Buffer.from(text)
  for (let start = 0; start < utf8.length; start += cut) {
    stream.write(utf8.subarray(start, start + cut))
    while (stream.advance(ids));
  }
  stream.end()
  while (stream.advance(ids));
  return { ids: [...ids], ranges: [...(ids.ranges ?? [])], characters: ids.characters }
}

test
  .skipIf(!hasRustLibrary)
  .each(['wordpiece-uncased', 'wordpiece-cased', 'wordpiece-added', 'wordpiece-stripped'])(
  '%s: ids and ranges of random texts are the Rust library’s, in any cut',
  async (name) => {
    const json = tokenizerFile(name)
    const oracle = new RustLibrary(json)
    const tokenizer = tokenizerOf(json)
    const property = fc.asyncProperty(
      tokenizerTexts,
      fc.boolean(),
      fc.constantFrom(1, 7, 4096),
      async (text, addSpecialTokens, cut) => {
        const expected = await oracle.encode(text, addSpecialTokens)
        const { characters, ...found } = encode(tokenizer, text, addSpecialTokens, cut)
        expect(found).toEqual(expected)
        expect(characters).toBe([...text].length)
      },
    )
    await checkProperty(property, RUNS)
  },
  60_000 * TIMES,
)
