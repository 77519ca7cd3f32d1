import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TOKENIZER = fileURLToPath(new URL('../../goldens/tokenizers/roberta.json', import.meta.url))
const VOCAB = 1300

/** Writes a folder with a LLaMA of bfloat16 rows [1300, width] and a tokenizer of that many tokens. */
export function writeModel(folder, width) {
  mkdirSync(folder)
  const config = { model_type: 'llama', vocab_size: VOCAB, hidden_size: width, num_attention_heads: 32 }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, dtype: 'bfloat16' }))
  copyFileSync(TOKENIZER, join(folder, 'tokenizer.json'))
  const rows = Uint16Array.from({ length: VOCAB * width }, (_, i) => 0x3f80 + ((i * 31) % 97))
  const shape = { dtype: 'BF16', shape: [VOCAB, width], data_offsets: [0, rows.byteLength] }
  const header = Buffer.from(JSON.stringify({ 'model.embed_tokens.weight': shape }))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  writeFileSync(join(folder, 'model.safetensors'), Buffer.concat([length, header, Buffer.from(rows.buffer)]))
}
