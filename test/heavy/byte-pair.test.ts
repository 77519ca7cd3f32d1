import { test } from 'vitest'
import { compareWithRust } from '../first-layer/tokens/byte-pair/against-rust.js'
import { FAMILY_PATTERNS, splitsOf } from '../first-layer/tokens/byte-pair/family-patterns.js'
import { FILES, tokenizerFile } from '../first-layer/tokens/byte-pair/files.js'
import { seedOfThisRun } from '../first-layer/tokens/random-texts.js'

const TEXTS = 20_000

const seed = seedOfThisRun()

test.each(FILES)('ids and ranges of 20,000 random texts are the Rust library’s (%s)', async (name) => {
  await compareWithRust(name, TEXTS, seed)
})

test.each(Object.entries(FAMILY_PATTERNS))(
  'so are those of 2,000 under the pattern of %s',
  async (_, sources) => {
    await compareWithRust({ ...tokenizerFile('o200k'), pre_tokenizer: splitsOf(sources) }, TEXTS / 10, seed)
  },
)
