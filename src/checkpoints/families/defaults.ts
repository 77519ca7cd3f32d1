/** What config.json means where it says nothing: names as in {@link ConfigJson}'s lookups, their newest form. */
export type FamilyDefaults = Readonly<Record<string, number>>

/** Width and heads of a block, and the longest sequence (0: there is none). */
function sizes(hidden: number, heads: number, positions: number, more: FamilyDefaults = {}): FamilyDefaults {
  return {
    ...{ hidden_size: hidden, num_attention_heads: heads },
    ...(positions > 0 && { max_position_embeddings: positions }),
    ...more,
  }
}

const pad = (id: number) => ({ pad_token_id: id })
const bertBase = sizes(768, 12, 512, pad(0))
const robertaBase = sizes(768, 12, 512, pad(1))
const bartLarge = sizes(1024, 16, 1024, pad(1))
const gpt2 = sizes(768, 12, 1024)
const gptj = sizes(4096, 16, 2048)
const llama = sizes(4096, 32, 2048)
const mistral = sizes(4096, 32, 131_072)
const olmo = sizes(4096, 32, 2048, pad(1))
const cohere = sizes(8192, 64, 8192, pad(0))
const glm = sizes(4096, 32, 131_072, { ...pad(151_329), head_dim: 128 })
const gemma2 = sizes(2304, 8, 8192, { ...pad(0), head_dim: 256 })
const gemma3 = { ...gemma2, max_position_embeddings: 131_072 }
const llama4 = sizes(5120, 40, 131_072, { head_dim: 128 })

/** By `model_type`. Source: the configuration classes of transformers 5.23. */
export const FAMILY_DEFAULTS: Readonly<Record<string, FamilyDefaults>> = {
  gpt2,
  gpt_neo: sizes(2048, 16, 2048),
  gpt_bigcode: gpt2,
  gptj,
  codegen: gptj,
  mpt: sizes(2048, 16, 2048),
  falcon: sizes(4544, 71, 2048),
  xlnet: sizes(1024, 16, 0, pad(5)),
  ctrl: sizes(1280, 16, 256),
  'openai-gpt': sizes(768, 12, 512),
  gpt_neox: sizes(6144, 64, 2048),
  bloom: sizes(64, 8, 0),
  opt: sizes(768, 12, 2048, pad(1)),
  llama,
  llama4,
  llama4_text: llama4,
  mistral,
  mixtral: mistral,
  ministral: mistral,
  qwen2: sizes(4096, 32, 32_768),
  qwen2_moe: sizes(2048, 16, 32_768),
  qwen3: sizes(4096, 32, 32_768, { head_dim: 128 }),
  qwen3_moe: sizes(2048, 32, 32_768),
  qwen3_next: sizes(2048, 16, 32_768, { head_dim: 256 }),
  phi: sizes(2048, 32, 2048),
  phi3: sizes(3072, 32, 4096, pad(32_000)),
  olmo,
  olmo2: olmo,
  olmo3: olmo,
  olmoe: sizes(2048, 16, 4096, pad(1)),
  stablelm: sizes(2560, 32, 4096),
  starcoder2: sizes(3072, 24, 4096),
  cohere,
  cohere2: cohere,
  deepseek_v2: sizes(4096, 32, 2048, { qk_rope_head_dim: 64 }),
  deepseek_v3: sizes(7168, 128, 4096, { qk_rope_head_dim: 64 }),
  gpt_oss: sizes(2880, 64, 131_072, { head_dim: 64 }),
  glm,
  glm4: glm,
  smollm3: sizes(2048, 16, 32_768, pad(128_004)),
  nemotron: sizes(6144, 48, 4096),
  granite: llama,
  granitemoe: llama,
  falcon_h1: sizes(4096, 32, 8192, pad(0)),
  xglm: sizes(1024, 16, 2048, pad(1)),
  gemma: sizes(3072, 16, 8192, { ...pad(0), head_dim: 256 }),
  gemma2,
  gemma3_text: gemma3,
  gemma3,
  t5: sizes(512, 8, 0, pad(0)),
  mt5: sizes(512, 6, 0, pad(0)),
  umt5: sizes(512, 6, 0, pad(0)),
  bart: bartLarge,
  mbart: bartLarge,
  bert: bertBase,
  roberta: robertaBase,
  'xlm-roberta': robertaBase,
  camembert: robertaBase,
  distilbert: bertBase,
  electra: sizes(256, 4, 512, pad(0)),
  albert: sizes(4096, 64, 512, pad(0)),
  mpnet: robertaBase,
  deberta: bertBase,
  'deberta-v2': sizes(1536, 24, 512, pad(0)),
  modernbert: sizes(768, 12, 8192, pad(50_283)),
}
