import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gpt2, tokenizer, writeModel } from './models-folder.mjs'
import { drawing } from './random.mjs'

/** The heavy folder's id, before which every other one stands in the alphabet's order. */
export const HEAVY = 'a-heavy'
export const TINY = 'tiny'

/** Tokenizers of about `bytes` bytes, by the kind of their model. */
export const HEAVY_KINDS = { wordpiece, 'byte-pair': bytePair, unigram }

/** A folder for `MODELS_DIR` with a tiny model, and, where `kind` is given, one whose tokenizer.json has about `bytes`. */
export function heavyModels(kind, bytes) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-attack-heavy-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeModel(join(folder, TINY), gpt2(tokenizer('wordpiece-uncased')))
  if (kind === undefined) return { folder }
  const file = HEAVY_KINDS[kind](bytes)
  const { vocab } = file.model
  const tokens = Array.isArray(vocab) ? vocab.length : Object.keys(vocab).length
  writeModel(join(folder, HEAVY), gpt2(file, tokens + 1000, 4))
  return { folder, tokens, bytes: statSync(join(folder, HEAVY, 'tokenizer.json')).size }
}

/** Draws words of letters, each of which `isNew`. */
function words(isNew) {
  const { upTo } = drawing(1)
  return () => {
    for (;;) {
      const word = String.fromCharCode(...Array.from({ length: 8 + upTo(17) }, () => 97 + upTo(26)))
      if (isNew(word)) return word
    }
  }
}

function wordpiece(bytes) {
  const file = tokenizer('wordpiece-uncased')
  const vocab = new Map(Object.entries(file.model.vocab))
  const word = words((one) => !vocab.has(one) && !vocab.has(`##${one}`))
  for (let size = 0; size < bytes; ) {
    const id = vocab.size
    const token = id % 2 === 0 ? word() : `##${word()}`
    vocab.set(token, id)
    size += token.length + String(id).length + 4
  }
  return { ...file, model: { ...file.model, vocab: Object.fromEntries(vocab) } }
}

/** Each token is two others: a merge for each, as a trained file has. */
function bytePair(bytes) {
  const file = tokenizer('qwen2')
  const { upTo } = drawing(1)
  const vocab = new Map(Object.entries(file.model.vocab))
  const merges = [...file.model.merges]
  const parts = [...vocab.keys()].filter((token) => /^[a-z]+$/.test(token))
  const added = file.added_tokens.map(({ id }) => id)
  for (let id = 1 + Math.max(...vocab.values(), ...added), size = 0; size < bytes; ) {
    const [left, right] = [parts[upTo(parts.length)], parts[upTo(parts.length)]]
    const token = left + right
    if (token.length > 24 || vocab.has(token)) continue
    vocab.set(token, id)
    parts.push(token)
    merges.push([left, right])
    size += 2 * token.length + String(id).length + 12
    id++
  }
  return { ...file, model: { ...file.model, vocab: Object.fromEntries(vocab), merges } }
}

function unigram(bytes) {
  const file = tokenizer('unigram')
  const vocab = new Map(file.model.vocab)
  const word = words((one) => !vocab.has(`▁${one}`))
  for (let size = 0; size < bytes; ) {
    const token = `▁${word()}`
    vocab.set(token, -10)
    size += Buffer.byteLength(token) + 8
  }
  return { ...file, model: { ...file.model, vocab: [...vocab] } }
}
