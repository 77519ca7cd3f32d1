import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tables as safetensors, write } from '../../recorded/models-folder.mjs'

const goldens = fileURLToPath(new URL('../../goldens/', import.meta.url))

/** Rows and width of the tables: each tokenizer of the goldens has fewer ids. */
const VOCAB = 1300
const DIM = 64
/** Names that one tokenizer has besides its words: as many as a request may allow. */
const LITERALS = 1000

/** `<|reserved_special_token_7|>`, as LLaMA 3 names them. */
export const literal = (i) => `<|reserved_special_token_${i}|>`

let made

/**
 * A folder of models for `MODELS_DIR`, made once in this process and removed at its end: `llama`, a checkpoint of
 * transformers, `endless`, one of 2^30 positions, and `words`, a static model; GPT-2s by the name of their tokenizer (`qwen2`, `llama3`, `roberta`,
 * `wordpiece-uncased`, `wordpiece-added`); `literals` and `unigram`, GPT-2s with 1,000 added tokens; `static-nfc`, a static model
 * whose text is brought into normal form C.
 */
export function modelsFolder() {
  if (made !== undefined) return made
  made = mkdtempSync(join(tmpdir(), 'inlet-attack-models-'))
  process.on('exit', () => rmSync(made, { recursive: true, force: true }))
  const llama = goldenFiles('models/llama', ['config.json', 'model.safetensors'])
  write(made, 'llama', llama)
  write(
    made,
    'words',
    goldenFiles('static/words', ['config.json', 'model.safetensors', 'modules.json', 'tokenizer.json']),
  )
  for (const name of ['qwen2', 'llama3', 'roberta', 'wordpiece-uncased', 'wordpiece-added']) {
    write(made, name, gpt2(tokenizer(name)))
  }
  write(made, 'endless', endless(tokenizer('roberta')))
  write(made, 'literals', gpt2(withLiterals(tokenizer('qwen2'))))
  write(made, 'unigram', gpt2(withLiterals(tokenizer('unigram'))))
  write(made, 'static-nfc', staticModel(tokenizer('qwen2')))
  return made
}

function goldenFiles(folder, names) {
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(goldens, folder, name))]))
}

/** A tokenizer.json of the goldens. */
export const tokenizer = (name) =>
  JSON.parse(readFileSync(join(goldens, 'tokenizers', `${name}.json`), 'utf8'))

function withLiterals(file) {
  const { vocab } = file.model
  const ids = Array.isArray(vocab) ? [vocab.length - 1] : Object.values(vocab)
  const first = 1 + Math.max(...ids, ...file.added_tokens.map(({ id }) => id))
  const flags = { special: true, normalized: false, lstrip: false, rstrip: false, single_word: false }
  const tokens = Array.from({ length: LITERALS }, (_, i) => ({
    id: first + i,
    content: literal(i),
    ...flags,
  }))
  return { ...file, added_tokens: [...file.added_tokens, ...tokens] }
}

/** The files of a GPT-2 with this tokenizer.json. */
export function gpt2(file, vocab = 2 * VOCAB, dim = DIM) {
  return {
    'config.json': { model_type: 'gpt2', vocab_size: vocab, n_embd: dim, n_positions: 1024, n_head: 4 },
    'model.safetensors': tables({ 'wte.weight': [vocab, dim], 'wpe.weight': [1024, dim] }),
    'tokenizer.json': file,
  }
}

/** A LLaMA of any length of prompt. */
function endless(file) {
  const sizes = { vocab_size: 2 * VOCAB, hidden_size: DIM, num_attention_heads: 4 }
  return {
    'config.json': { model_type: 'llama', ...sizes, max_position_embeddings: 2 ** 30 },
    'model.safetensors': tables({ 'model.embed_tokens.weight': [2 * VOCAB, DIM] }),
    'tokenizer.json': file,
  }
}

function staticModel(file) {
  const ids = [...Object.values(file.model.vocab), ...file.added_tokens.map(({ id }) => id)]
  return {
    'config.json': { model_type: 'model2vec', max_length: null, normalize: true },
    'inlet_static.json': { accept_ids: true },
    'model.safetensors': tables({ embeddings: [1 + Math.max(...ids), DIM] }),
    'tokenizer.json': file,
  }
}

/** Numbers are ones: of all rows the nearest are all. */
const tables = (shapes) => safetensors(shapes, { number: () => 1 })
