import {
  alike,
  type Families,
  type FamilyDefaults,
  IN_MULTIMODAL,
  pad,
  plain,
  scaled,
  sizes,
} from './family.js'
import { gemmaScale, graniteScale, type RopeFamily, rootIf, rope, xglmSines } from './schemes.js'

const llamaSizes = sizes(4096, 32, 2048)
const llama4 = sizes(5120, 40, 131_072, { head_dim: 128 })
const mistral = sizes(4096, 32, 131_072)
const olmo = sizes(4096, 32, 2048, pad(1))
const cohere = sizes(8192, 64, 8192, pad(0))
const glm = sizes(4096, 32, 131_072, { ...pad(151_329), head_dim: 128 })
const gemma2 = sizes(2304, 8, 8192, { ...pad(0), head_dim: 256 })
const gemma3 = { ...gemma2, max_position_embeddings: 131_072 }

/** LLaMA and families like it; with a question-answering head they are saved under `transformer`. */
export const llama = {
  prefixes: ['model.', '', 'transformer.'],
  tokens: ['embed_tokens.weight'],
  steps: plain,
} as const
const xglm = {
  steps: scaled,
  scale: rootIf('scale_embedding', true),
  embedSteps: 1,
  index: 'two_on_but_pad',
  scheme: xglmSines,
  defaults: sizes(1024, 16, 2048, pad(1)),
} as const

const deepseekRope = { headDim: 'qk_rope_head_dim', layout: 'interleaved' } as const

const llamaLike = (defaults: FamilyDefaults, turned: RopeFamily = {}) => ({
  ...llama,
  defaults,
  scheme: rope(turned),
})
/** Rows that the embedding module itself multiplies. */
export const gemmaSteps = { steps: scaled, scale: gemmaScale, embedSteps: 1 } as const
const gemmaLike = (
  defaults: FamilyDefaults,
  prefixes: readonly string[] = llama.prefixes,
  theta = 10_000,
) => ({ ...llama, ...gemmaSteps, defaults, prefixes, scheme: rope({ theta }) })

const interleaved = { layout: 'interleaved' } as const

/** Decoders with LLaMA's names, and the defaults of their configuration classes in transformers. */
export const LLAMA_FAMILIES: Families = {
  llama: llamaLike(llamaSizes),
  ...alike(
    { ...llamaLike(llama4, { theta: 500_000, ...interleaved }), prefixes: IN_MULTIMODAL },
    'llama4 llama4_text',
  ),
  ...alike(llamaLike(mistral), 'mistral ministral'),
  mixtral: llamaLike(mistral, { theta: 1e6 }),
  qwen2: llamaLike(sizes(4096, 32, 32_768)),
  qwen2_moe: llamaLike(sizes(2048, 16, 32_768)),
  qwen3: llamaLike(sizes(4096, 32, 32_768, { head_dim: 128 })),
  qwen3_moe: llamaLike(sizes(2048, 32, 32_768)),
  qwen3_next: llamaLike(sizes(2048, 16, 32_768, { head_dim: 256 }), { partial: 0.25 }),
  phi: llamaLike(sizes(2048, 32, 2048), { partial: 0.5 }),
  phi3: llamaLike(sizes(3072, 32, 4096, pad(32_000))),
  ...alike(llamaLike(olmo), 'olmo olmo2'),
  olmo3: llamaLike(olmo, { theta: 500_000 }),
  olmoe: llamaLike(sizes(2048, 16, 4096, pad(1))),
  stablelm: llamaLike(sizes(2560, 32, 4096), { partial: 0.25 }),
  starcoder2: llamaLike(sizes(3072, 24, 4096)),
  cohere: llamaLike(cohere, { theta: 500_000, ...interleaved }),
  cohere2: llamaLike(cohere, interleaved),
  deepseek_v2: llamaLike(sizes(4096, 32, 2048, { qk_rope_head_dim: 64 }), deepseekRope),
  // `kimi_k2` is DeepSeek V3's class under another name, and its config.json has the same fields.
  ...alike(llamaLike(sizes(7168, 128, 4096, { qk_rope_head_dim: 64 }), deepseekRope), 'deepseek_v3 kimi_k2'),
  gpt_oss: llamaLike(sizes(2880, 64, 131_072, { head_dim: 64 }), { theta: 150_000 }),
  ...alike(llamaLike(glm, { partial: 0.5, ...interleaved }), 'glm glm4'),
  smollm3: llamaLike(sizes(2048, 16, 32_768, pad(128_004)), { theta: 2e6 }),
  nemotron: llamaLike(sizes(6144, 48, 4096), { partial: 0.5 }),
  ...alike({ ...llamaLike(llamaSizes), steps: scaled, scale: graniteScale }, 'granite granitemoe'),
  falcon_h1: { ...llamaLike(sizes(4096, 32, 8192, pad(0))), ...gemmaSteps, scale: graniteScale },
  xglm: { ...llama, ...xglm },
  gemma: gemmaLike(sizes(3072, 16, 8192, { ...pad(0), head_dim: 256 })),
  gemma2: gemmaLike(gemma2),
  ...alike(gemmaLike(gemma3, IN_MULTIMODAL, 1e6), 'gemma3 gemma3_text'),
}
