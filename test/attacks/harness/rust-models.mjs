import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gpt2, tokenizer, writeModel } from './models-folder.mjs'
import { drawing } from './random.mjs'

/** Words of the large vocabulary: as many as XLM-RoBERTa's. */
const WORDS = 250_000
const SPECIALS = 100

/** A special token of `large`. */
export const special = (i) => `<extra_id_${i}>`

/**
 * A folder of models for `MODELS_DIR` whose tokenizers the Rust library runs: `small`; `abused`, another like it; `large`,
 * with a vocabulary of 250,000 words and 100 special tokens; `quadratic`, whose pattern is.
 */
export function rustModels() {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-attack-rust-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const write = (name, ...args) => writeModel(join(folder, name), gpt2(...args))
  write('small', tokenizer('unigram'))
  write('abused', tokenizer('sentencepiece-bpe'))
  write('large', large(), WORDS + SPECIALS + 1000, 4)
  const pattern = { Regex: 'x+[yz]' }
  const split = { type: 'Split', pattern, behavior: 'Isolated', invert: false }
  write('quadratic', { ...tokenizer('wordlevel'), pre_tokenizer: split })
  return folder
}

function large() {
  const { upTo } = drawing(1)
  const letters = () => String.fromCharCode(...Array.from({ length: 3 + upTo(6) }, () => 97 + upTo(26)))
  const file = tokenizer('unigram')
  const vocab = new Map(file.model.vocab)
  while (vocab.size < WORDS) vocab.set(`▁${letters()}`, -10 - 5 * Math.random())
  const flags = { special: true, normalized: false, lstrip: false, rstrip: false, single_word: false }
  const added = Array.from({ length: SPECIALS }, (_, i) => ({ id: WORDS + i, content: special(i), ...flags }))
  return {
    ...file,
    added_tokens: [...file.added_tokens, ...added],
    model: { ...file.model, vocab: [...vocab] },
  }
}
