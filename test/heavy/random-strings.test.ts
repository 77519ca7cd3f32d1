import { get_encoding } from 'tiktoken'
import { test } from 'vitest'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES } from '../../src/first-layer/tokens/encodings.js'
import { expectSameIds } from '../first-layer/tokens/expect-same-ids.js'
import { randomNumbers, randomText, seedOfThisRun } from '../first-layer/tokens/random-texts.js'
import { tokenizeText } from '../first-layer/tokens/tokenize-text.js'

test.each(ENCODING_NAMES)("%s gives the ids of npm's tiktoken over 200,000 random strings", async (name) => {
  const encoding = await loadEncoding(name)
  const npm = get_encoding(name)
  const random = randomNumbers(seedOfThisRun())
  for (let count = 0; count < 200_000; count++) {
    const text = randomText(random, 25)
    expectSameIds(
      tokenizeText(encoding, text, { allowedSpecial: new Set() }),
      npm.encode_ordinary(text),
      text,
    )
  }
  npm.free()
})
