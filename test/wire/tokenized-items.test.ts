import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../src/first-layer/steps.js'
import { bytePairTokenizer } from '../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import type { TokenBuffer } from '../../src/first-layer/tokens/token-buffer.js'
import { tokenizeText } from '../../src/first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../../src/first-layer/tokens/tokenizer.js'
import { Offsets } from '../../src/first-layer/windows/offsets.js'
import { UNBOUNDED } from '../../src/load/claim.js'
import { driveAsync, drivenBlocks } from '../../src/load/drive.js'
import type { TextsUtf8 } from '../../src/wire/token-items.js'
import { tokenizedItems } from '../../src/wire/tokenized-items.js'
import { bytePairSpec, tokenizerFile } from '../first-layer/tokens/byte-pair/files.js'

const NO_LIMIT = Number.POSITIVE_INFINITY

function utf8Of(text: string): TextsUtf8 {
  const starts = new Offsets()
  starts.push(0)
  return { bytes: Buffer.from(text), starts }
}

describe('a row of combining marks', () => {
  const text = `a${'\u0301\u0316'.repeat(2048)}`
  let tokenizer: Tokenizer
  let ids: TokenBuffer
  beforeAll(async () => {
    tokenizer = await driveAsync(bytePairTokenizer(bytePairSpec(tokenizerFile('qwen2'))))
    ids = await driveAsync(tokenizeText(tokenizer, text, { allowedSpecial: new Set(), ranges: true }))
  })

  test('makes no token’s bytes longer than the few characters that it stands for', async () => {
    const answer = run(tokenizedItems(tokenizer, ids, NO_LIMIT, utf8Of(text)))
    expect(answer!.size).toBeLessThan(150 * ids.length)
  })

  test('beyond the limit the answer is not counted to its end', async () => {
    let asked = 0
    const tokenText = (id: number) => {
      asked++
      return tokenizer.tokenText(id)
    }
    const counting = { ...tokenizer, tokenText }
    expect(run(tokenizedItems(counting, ids, 20_000 + 6 * ids.length, utf8Of(text)))).toBeUndefined()
    expect(asked).toBeLessThan(ids.length / 4)
  })
})

test('tokens of great length come a few at a time, so that no turn is long', async () => {
  const file = tokenizerFile('gpt2')
  const literal = `<${'x'.repeat(50_000)}>`
  file.added_tokens.push({ id: 1200, content: literal, special: true })
  const tokenizer = await driveAsync(bytePairTokenizer(bytePairSpec(file)))
  const options = { allowedSpecial: new Set([literal]) }
  const ids = await driveAsync(tokenizeText(tokenizer, literal.repeat(20), options))
  const answer = run(tokenizedItems(tokenizer, ids, NO_LIMIT))
  let [size, longest] = [0, 0]
  for await (const block of drivenBlocks(UNBOUNDED, answer!.body)) {
    size += block.length
    longest = Math.max(longest, block.length)
  }
  expect(size).toBe(answer!.size)
  expect(longest).toBeLessThan(300_000)
})
