import { test } from 'vitest'
import { compareWithRust } from '../first-layer/tokens/byte-pair/against-rust.js'
import { FILES } from '../first-layer/tokens/byte-pair/files.js'
import { seedOfThisRun } from '../first-layer/tokens/random-texts.js'

const TEXTS = 100_000

const seed = seedOfThisRun()

test.each(FILES)('ids and ranges of 100,000 random texts are the Rust library’s (%s)', async (name) => {
  await compareWithRust(name, TEXTS, seed)
})
