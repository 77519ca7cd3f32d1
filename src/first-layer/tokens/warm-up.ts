import type { Steps } from '../steps.js'
import { tokenizeBytes } from './tokenize.js'
import type { StreamOptions, Tokenizer } from './tokenizer.js'

/** Texts, and their bytes: what a text calls once is compiled after a few, what it calls for each part after a megabyte. */
const TEXTS = 4
const BYTES = 1 << 18
const CHUNK = Buffer.from(
  'The first text, 1 of 20: “words”, numbers (3.14) and names; Käthe’s files, too.\n'.repeat(200),
)
const NONE: StreamOptions = { allowedSpecial: new Set() }

/**
 * Makes a tokenizer and gives it a text of a megabyte, some ten milliseconds, so that V8 has compiled what the first
 * caller's text runs. One that does its work elsewhere gets none.
 */
export function* warmedUp<Made extends Tokenizer>(making: Steps<Made>): Steps<Made> {
  const tokenizer = yield* making
  if (tokenizer.vocabulary === undefined) return tokenizer
  const chunks = new Array<Uint8Array>(Math.ceil(BYTES / CHUNK.length)).fill(CHUNK)
  for (let text = 0; text < TEXTS; text++) yield* tokenizeBytes(tokenizer, chunks, NONE)
  return tokenizer
}
