import { expect, test } from 'vitest'
import { bytePairTokenizer } from '../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { tokenizeAsync } from '../../../src/first-layer/tokens/tokenize.js'
import { bytePairSpec, tokenizerFile } from './byte-pair/files.js'

const MIB = 2 ** 20
const options = { allowedSpecial: new Set(['<mask>']) }
const tokenizer = await bytePairTokenizer(bytePairSpec(tokenizerFile('roberta')))

/** The ids of a text, and the most bytes that they and the text were said to take. */
async function counted(text: string | readonly Uint8Array[]) {
  let most = 0
  const between = (bytes: number) => {
    most = Math.max(most, bytes)
    return undefined
  }
  const ids = await tokenizeAsync(tokenizer, text, options, { between })
  return { ids, most }
}

test.each(['bytes', 'text'])('whitespace that a literal may take along counts (%s)', async (kind) => {
  const text = `${' '.repeat(4 * MIB)}<mask>${'a b '.repeat(MIB / 4)}`
  const { ids, most } = await counted(kind === 'text' ? text : [Buffer.from(text)])
  expect(ids.at(0)).toBe(tokenizer.specialTokens.get('<mask>'))
  expect(ids.characters).toBe(text.length)
  // The run itself, and the memory for growing its buffer.
  expect(most).toBeGreaterThan(8 * MIB)
})

test('of a text without whitespace that a literal may take along only the ids count', async () => {
  const { ids, most } = await counted('a  b '.repeat(MIB / 4))
  expect(most).toBeLessThan(ids.byteLength + 2 ** 18)
})
