// Writes a model's folder for the render routes: cl100k's tokens in Qwen 2's form, ChatML's markers, a chat template, and
// tables of 8 numbers a row, which the test does not use. node make_model.mjs FOLDER TEMPLATE.jinja
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenizerFiles } from '../../bench/tokenizers/tokenizer-files.mjs'

const MARKERS = ['<s>', '</s>', '<pad>', '<unk>', '<|im_start|>', '<|im_end|>']
const DIM = 8

const [folder, template] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const json = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value))

const tokenizer = JSON.parse(readFileSync((await tokenizerFiles('Qwen 2’s form')).file, 'utf8'))
const first = Math.max(...Object.values(tokenizer.model.vocab)) + 1
tokenizer.added_tokens = MARKERS.map((content, i) => ({
  ...{ id: first + i, content, special: true },
  ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
}))
json('tokenizer.json', tokenizer)
const [bos_token, eos_token, pad_token, unk_token] = MARKERS
json('tokenizer_config.json', {
  ...{ tokenizer_class: 'PreTrainedTokenizerFast', bos_token, eos_token, pad_token, unk_token },
  chat_template: readFileSync(template, 'utf8'),
})
const vocab = first + MARKERS.length
json('config.json', {
  ...{ architectures: ['Qwen2ForCausalLM'], model_type: 'qwen2', vocab_size: vocab, torch_dtype: 'float32' },
  ...{ hidden_size: DIM, intermediate_size: 16, num_attention_heads: 2, num_key_value_heads: 2 },
  ...{ num_hidden_layers: 1, max_position_embeddings: 262144, rms_norm_eps: 1e-6, rope_theta: 1e6 },
  ...{ hidden_act: 'silu', tie_word_embeddings: true, bos_token_id: first, eos_token_id: first + 1 },
})
const bytes = vocab * DIM * 4
const header = Buffer.from(
  JSON.stringify({
    'model.embed_tokens.weight': { dtype: 'F32', shape: [vocab, DIM], data_offsets: [0, bytes] },
  }),
)
const length = Buffer.alloc(8)
length.writeBigUInt64LE(BigInt(header.length))
writeFileSync(join(folder, 'model.safetensors'), Buffer.concat([length, header, Buffer.alloc(bytes)]))
