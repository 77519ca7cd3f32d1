import { test } from 'vitest'
import { seedOfThisRun } from '../random-texts.js'
import { compareWithRust } from './against-rust.js'
import { FILES } from './files.js'

const seed = seedOfThisRun()

test.each(FILES)('ids and ranges of random texts are the Rust library’s (%s)', async (name) => {
  await compareWithRust(name, 400, seed)
})
