import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GOLDENS = join(ROOT, 'test/goldens')

const VOCAB = 2000
const DIM = 8

/** Names in the folder that {@link modelsFolder} makes. */
export const folderModels = foldersIn(join(GOLDENS, 'models'))
export const staticModels = foldersIn(join(GOLDENS, 'static')).map((name) => `static-${name}`)
export const tokenizerModels = readdirSync(join(GOLDENS, 'tokenizers'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => `tokenizer-${name.slice(0, -5)}`)

function foldersIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

/**
 * A folder for `MODELS_DIR`, removed at the end of this process: the goldens' checkpoints by their names, the static
 * models as `static-…`, GPT-2s and LLaMAs with each tokenizer of the goldens as `tokenizer-…`, `tiny`, and folders
 * that are refused as `broken-…`.
 */
export function modelsFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-recorded-models-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of folderModels)
    cpSync(join(GOLDENS, 'models', name), join(folder, name), { recursive: true })
  for (const name of staticModels) {
    cpSync(join(GOLDENS, 'static', name.slice('static-'.length)), join(folder, name), { recursive: true })
  }
  for (const name of tokenizerModels) {
    const file = readFileSync(join(GOLDENS, 'tokenizers', `${name.slice('tokenizer-'.length)}.json`))
    write(folder, name, { ...family(name), 'tokenizer.json': file })
  }
  cpSync(join(ROOT, 'models/tiny'), join(folder, 'tiny'), { recursive: true })
  writeBroken(folder)
  return folder
}

/** A family for each tokenizer, so that vLLM's targets and special tokens are covered. */
function family(name) {
  if (/wordpiece/.test(name)) {
    const config = {
      model_type: 'bert',
      vocab_size: VOCAB,
      hidden_size: DIM,
      max_position_embeddings: 512,
      type_vocab_size: 2,
    }
    const shapes = {
      'embeddings.word_embeddings.weight': [VOCAB, DIM],
      'embeddings.position_embeddings.weight': [512, DIM],
      'embeddings.token_type_embeddings.weight': [2, DIM],
      'embeddings.LayerNorm.weight': [DIM],
      'embeddings.LayerNorm.bias': [DIM],
    }
    return { 'config.json': config, 'model.safetensors': tables(shapes) }
  }
  if (/llama|qwen|sentencepiece/.test(name)) {
    const config = {
      model_type: 'llama',
      vocab_size: VOCAB,
      hidden_size: DIM,
      num_attention_heads: 2,
      max_position_embeddings: 256,
    }
    return {
      'config.json': config,
      'model.safetensors': tables({ 'model.embed_tokens.weight': [VOCAB, DIM] }),
    }
  }
  const config = { model_type: 'gpt2', vocab_size: VOCAB, n_embd: DIM, n_positions: 128, n_head: 2 }
  return {
    'config.json': config,
    'model.safetensors': tables({ 'wte.weight': [VOCAB, DIM], 'wpe.weight': [128, DIM] }),
  }
}

function writeBroken(folder) {
  const good = { 'wte.weight': [9, 4], 'wpe.weight': [8, 4] }
  const config = { model_type: 'gpt2', vocab_size: 9, n_embd: 4, n_positions: 8, n_head: 2 }
  const broken = {
    type: { 'config.json': { ...config, model_type: 'unheard' }, 'model.safetensors': tables(good) },
    shape: { 'config.json': { ...config, n_embd: 6 }, 'model.safetensors': tables(good) },
    tensor: { 'config.json': config, 'model.safetensors': tables({ 'wte.weight': [9, 4] }) },
    json: { 'config.json': '{"model_type": "gpt2"', 'model.safetensors': tables(good) },
    short: { 'config.json': config, 'model.safetensors': tables(good).subarray(0, 300) },
    header: { 'config.json': config, 'model.safetensors': Buffer.from('not a safetensors file at all') },
    tokenizer: { 'config.json': config, 'model.safetensors': tables(good), 'tokenizer.json': '{"model": 7}' },
    card: { 'inlet.json': { vocab_size: 0 } },
    unknown: { 'inlet.json': { vocab_size: 9, embedding_dim: 3, colour: 'red' } },
  }
  for (const [name, files] of Object.entries(broken)) write(folder, `broken-${name}`, files)
}

/** Writes a model's files, texts and bytes as they are and all else as JSON, into a new folder. */
export function write(folder, name, files) {
  mkdirSync(join(folder, name))
  for (const [file, content] of Object.entries(files)) {
    const isPlain = typeof content === 'string' || Buffer.isBuffer(content)
    writeFileSync(join(folder, name, file), isPlain ? content : JSON.stringify(content))
  }
}

/**
 * A safetensors file, its numbers (i mod 251 − 125) / 64 unless `number` gives others.
 *
 * @param shapes tensor name → shape
 */
export function tables(shapes, { dtype = 'F32', metadata, number = (i) => ((i % 251) - 125) / 64 } = {}) {
  const width = dtype === 'F32' ? 4 : 2
  let end = 0
  const header = metadata === undefined ? {} : { __metadata__: metadata }
  for (const [name, shape] of Object.entries(shapes)) {
    const start = end
    end += width * shape.reduce((product, axis) => product * axis, 1)
    header[name] = { dtype, shape, data_offsets: [start, end] }
  }
  const json = Buffer.from(JSON.stringify(header))
  const padded = Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, ' ')])
  const file = Buffer.alloc(8 + padded.length + end)
  file.writeBigUInt64LE(BigInt(padded.length))
  padded.copy(file, 8)
  for (let i = 0; i < end / width; i++) {
    const at = 8 + padded.length + i * width
    if (dtype === 'F32') file.writeFloatLE(number(i), at)
    else file.writeUInt16LE(0x3c00 + (i % 251), at)
  }
  return file
}
