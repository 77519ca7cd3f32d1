import { expect, test } from 'vitest'
import { type Claim, drive, driveAsync, UNBOUNDED } from '../../../src/first-layer/running/drive.js'
import { bytePairTokenizer } from '../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { tokenizeBytes, tokenizeText } from '../../../src/first-layer/tokens/tokenize.js'
import { bytePairSpec, tokenizerFile } from './byte-pair/files.js'

const MIB = 2 ** 20

/** A claim that notes the most bytes taken at a time, and those not given back. */
function counting(): { claim: Claim; figures: { most: number; taken: number } } {
  const figures = { most: 0, taken: 0 }
  const add = (bytes: number) => {
    figures.taken += bytes
    figures.most = Math.max(figures.most, figures.taken)
    return undefined
  }
  return { claim: { ...UNBOUNDED, take: add, give: (bytes) => void add(-bytes) }, figures }
}

test.each(['bytes', 'text'])(
  'whitespace that a literal may take along is on the claim (%s)',
  async (kind) => {
    const tokenizer = await driveAsync(bytePairTokenizer(bytePairSpec(tokenizerFile('roberta'))))
    const options = { allowedSpecial: new Set(['<mask>']) }
    const { claim, figures } = counting()
    const text = `${' '.repeat(4 * MIB)}<mask>${'a b '.repeat(MIB / 4)}`
    const ids =
      kind === 'text'
        ? await drive(claim, tokenizeText(tokenizer, text, options))
        : await drive(claim, tokenizeBytes(tokenizer, [Buffer.from(text)], options))
    expect(ids.at(0)).toBe(tokenizer.specialTokens.get('<mask>'))
    expect(ids.characters).toBe(text.length)
    // The run itself, and the memory for growing its buffer.
    expect(figures.most).toBeGreaterThan(8 * MIB)
    expect(figures.taken).toBe(ids.byteLength)
  },
)

test('a text without whitespace that a literal may take along reserves memory for its ids only', async () => {
  const tokenizer = await driveAsync(bytePairTokenizer(bytePairSpec(tokenizerFile('roberta'))))
  const { claim, figures } = counting()
  const text = 'a  b '.repeat(MIB / 4)
  const ids = await drive(claim, tokenizeText(tokenizer, text, { allowedSpecial: new Set(['<mask>']) }))
  expect(figures.most).toBeLessThan(ids.byteLength + 2 ** 18)
})
