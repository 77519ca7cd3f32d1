import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALPHABET } from '../../../build/src/first-layer/tokens/byte-pair/merge-order.js'
import { rankFiles } from '../harness/rank-files.mjs'

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
const LEADER = String.raw`[^\r\n\p{L}\p{N}]?`
const TAIL = String.raw`|\s*[\r\n]+|\s+(?!\S)|\s+`
const modern = (numbers) =>
  `${CONTRACTIONS}|${LEADER}\\p{L}+|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*${TAIL}`
const [UPPER, LOWER] = [String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`]
const O200K =
  `${LEADER}${UPPER}*${LOWER}+${CONTRACTIONS}?|${LEADER}${UPPER}+${LOWER}*${CONTRACTIONS}?` +
  `|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*${TAIL}`

const families = JSON.parse(
  readFileSync(new URL('../../goldens/tokenizers/family-patterns.json', import.meta.url), 'utf8'),
)

const ALL = ['prose', 'code', 'many languages', 'JSON and logs']
const FORM = { ranks: 'cl100k_base', ignoresMerges: true, texts: ['prose', 'code'], floor: 0.4 }
const formOf = (family) => ({ ...FORM, pattern: families[family] })
const golden = (name) => fileURLToPath(new URL(`../../goldens/tokenizers/${name}.json`, import.meta.url))

/**
 * The tokenizers that are measured, on `texts`, and what they reach at least beside the fastest library. `ranks`: whose
 * table of tokens they have. `pattern`: tokenizer.json's, null for GPT-2's own. `encoding`: tiktoken's name, under which
 * libraries have them without a file.
 */
export const TOKENIZERS = {
  gpt2: { ranks: 'r50k_base', pattern: null, encoding: 'r50k_base', texts: ALL, floor: 0.5 },
  o200k_base: { ranks: 'o200k_base', pattern: O200K, encoding: 'o200k_base', texts: ALL, floor: 0.5 },
  'Llama 3’s form': { ...FORM, pattern: modern('\\p{N}{1,3}') },
  'Qwen 2’s form': { ...FORM, pattern: modern('\\p{N}'), ignoresMerges: false, normalizes: true },
  'DeepSeek V3’s form': formOf('DeepSeek V3'),
  'Kimi K2’s form': formOf('Kimi K2'),
  'Qwen 3.5’s form': formOf('Qwen 3.5'),
  'Tekken’s form': formOf('Tekken'),
  'SentencePiece’s form': { make: sentencePieceJson, texts: ALL, floor: 0.3 },
  WordPiece: { file: process.env.WORDPIECE ?? golden('wordpiece-uncased'), texts: ALL, floor: 5 },
}

/** Writes what the libraries read of a tokenizer: tokenizer.json and, for one of tiktoken's, its ranks where each looks. */
export async function tokenizerFiles(name) {
  const tokenizer = TOKENIZERS[name]
  const folder = await rankFiles(tokenizer.ranks ?? 'cl100k_base')
  if (tokenizer.file) return { file: tokenizer.file, folder }
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.json`)
  if (!existsSync(file))
    writeFileSync(file, JSON.stringify(await (tokenizer.make ?? tokenizerJson)(tokenizer)))
  return { file, folder }
}

async function tokenizerJson({ ranks, pattern, ignoresMerges = false, normalizes = false }) {
  const { tokens, merges } = await tableOf(ranks)
  const splits = [pattern ?? []].flat().map((Regex) => ({
    ...{ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
  }))
  const bytes = {
    type: 'ByteLevel',
    add_prefix_space: false,
    trim_offsets: true,
    use_regex: pattern === null,
  }
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]))
  return {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: [] },
    normalizer: normalizes ? { type: 'NFC' } : null,
    pre_tokenizer: pattern === null ? bytes : { type: 'Sequence', pretokenizers: [...splits, bytes] },
    post_processor: null,
    decoder: bytes,
    model: modelJson({ vocab, merges }, { ignore_merges: ignoresMerges }),
  }
}

const modelJson = (table, options) => ({
  ...{
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
  },
  ...{ fuse_unk: false, byte_fallback: false, ...options, ...table },
})

/** As of Llama 2: no split, `▁` for spaces, merges of characters, and bytes for characters that have no token. */
async function sentencePieceJson() {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`)
  const places = new Map(ALPHABET.map((character, byte) => [character, byte]))
  const { tokens } = await tableOf('cl100k_base')
  const texts = tokens.flatMap((token) => {
    try {
      return utf8.decode(Uint8Array.from(token, (character) => places.get(character))).replaceAll(' ', '▁')
    } catch {
      return [] // a part of a character
    }
  })
  const ids = new Map([...bytes, ...texts].map((token, id) => [token, id]))
  const merges = texts
    .map((token) => mergeOf(token, ids))
    .filter((parts) => parts.length === 2 && parts.every((part) => ids.has(part)))
  const replace = (from, to) => ({ type: 'Replace', pattern: { String: from }, content: to })
  return {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: [] },
    normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, replace(' ', '▁')] },
    ...{ pre_tokenizer: null, post_processor: null },
    decoder: { type: 'Sequence', decoders: [replace('▁', ' '), { type: 'ByteFallback' }, { type: 'Fuse' }] },
    model: modelJson({ vocab: Object.fromEntries(ids), merges }, { fuse_unk: true, byte_fallback: true }),
  }
}

/** The tokens of an encoding in GPT-2's alphabet, by id, and the merge that makes each of them. */
async function tableOf(name) {
  const { default: file } = await import(`js-tiktoken/ranks/${name === 'r50k_base' ? 'gpt2' : name}`)
  const tokens = []
  for (const line of file.bpe_ranks.split('\n')) {
    const [, first, ...rest] = line.split(' ')
    for (const [i, token] of rest.entries()) {
      tokens[Number(first) + i] = Array.from(Buffer.from(token, 'base64'), (byte) => ALPHABET[byte]).join('')
    }
  }
  const ids = new Map(tokens.map((token, id) => [token, id]))
  return { tokens, merges: tokens.filter((token) => token.length > 1).map((token) => mergeOf(token, ids)) }
}

/** What merging with the tokens before it leaves of `token`: two tokens, or more where no merge makes it. */
function mergeOf(token, ids) {
  const own = ids.get(token)
  const parts = [...token]
  while (parts.length > 2) {
    let [best, place] = [own, -1]
    for (let i = 0; i + 1 < parts.length; i++) {
      const id = ids.get(parts[i] + parts[i + 1]) ?? own
      if (id < best) [best, place] = [id, i]
    }
    if (place < 0) break
    parts.splice(place, 2, parts[place] + parts[place + 1])
  }
  return parts
}
