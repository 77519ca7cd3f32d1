import { expect, test } from 'vitest'
import { run } from '../../src/first-layer/steps.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES } from '../../src/first-layer/tokens/encodings.js'
import { escapedTokens } from '../../src/wire/escaped-tokens.js'

test.each(ENCODING_NAMES)('%s: each token is as JSON writes it', async (name) => {
  const { vocabulary } = await loadEncoding(name)
  const { bytes, offsets } = run(escapedTokens(vocabulary))
  expect(offsets).toHaveLength(vocabulary.size + 1)
  for (let id = 0; id < vocabulary.size; id++) {
    const token = Buffer.from(vocabulary.bytes.subarray(vocabulary.offsets[id], vocabulary.offsets[id + 1]))
    // As latin1 each byte is a character of its own, whether or not the token is whole characters.
    const expected = JSON.stringify(token.toString('latin1')).slice(1, -1)
    const found = Buffer.from(bytes.subarray(offsets[id], offsets[id + 1])).toString('latin1')
    if (found !== expected) expect(found, `token ${id}`).toBe(expected)
  }
  expect(offsets.at(-1)).toBe(bytes.length)
})

test('a vocabulary is escaped once', async () => {
  const { vocabulary } = await loadEncoding('gpt2')
  expect(run(escapedTokens(vocabulary))).toBe(run(escapedTokens(vocabulary)))
})
