import { closestMatch } from 'leven'
import { ConfigJson } from '../config-json.js'
import { folderError, told } from '../folder-error.js'
import { CONFIG_FILE } from '../model-files.js'
import type { Family, FamilyDefaults, FamilyScale } from './family.js'
import {
  bloomAlibi,
  ctrlSines,
  disentangled,
  falconPositions,
  hiddenSize,
  learned,
  mptAlibi,
  type RopeFamily,
  rope,
  t5Bias,
  xglmSines,
  xlnetPositions,
} from './schemes.js'

/**
 * The defaults of a family's configuration class in transformers 5.23: width and heads of a block, and the longest sequence
 * (0: none).
 */
function sizes(hidden: number, heads: number, positions: number, more: FamilyDefaults = {}): FamilyDefaults {
  return {
    ...{ hidden_size: hidden, num_attention_heads: heads },
    ...(positions > 0 && { max_position_embeddings: positions }),
    ...more,
  }
}
const pad = (id: number) => ({ pad_token_id: id })
const gpt2 = sizes(768, 12, 1024)
const gptj = sizes(4096, 16, 2048)
const llamaSizes = sizes(4096, 32, 2048)
const llama4 = sizes(5120, 40, 131_072, { head_dim: 128 })
const mistral = sizes(4096, 32, 131_072)
const olmo = sizes(4096, 32, 2048, pad(1))
const cohere = sizes(8192, 64, 8192, pad(0))
const glm = sizes(4096, 32, 131_072, { ...pad(151_329), head_dim: 128 })
const gemma2 = sizes(2304, 8, 8192, { ...pad(0), head_dim: 256 })
const gemma3 = { ...gemma2, max_position_embeddings: 131_072 }

const plain = ['positions'] as const
const scaled = ['scale', 'positions'] as const
const encoder = ['types', 'positions', 'norm'] as const
/** An encoder whose tables are narrower than its blocks. */
const narrow = ['types', 'positions', 'norm', 'project'] as const

const rootOfWidth = (config: ConfigJson) => Math.sqrt(hiddenSize(config))
const rootIfAsked = (byDefault: boolean) => (config: ConfigJson) =>
  (config.flag('scale_embedding') ?? byDefault) ? rootOfWidth(config) : undefined
const multiplier = (config: ConfigJson) => config.number('embedding_multiplier') ?? 1

const gemmaScale: FamilyScale = { factor: rootOfWidth, inModule: true, rounded: true }
const bartScale: FamilyScale = { factor: rootIfAsked(false), inModule: true, rounded: false }
const xglmScale: FamilyScale = { factor: rootIfAsked(true), inModule: true, rounded: false }
const ctrlScale: FamilyScale = { factor: rootOfWidth, inModule: false, rounded: false }
const graniteScale: FamilyScale = { factor: multiplier, inModule: false, rounded: false }
const falconH1Scale: FamilyScale = { factor: multiplier, inModule: true, rounded: false }

/** GPT-2 and families with its names. */
const gpt = { prefixes: ['transformer.', ''], tokens: ['wte.weight'], steps: plain } as const
const gptjRope = rope({ layout: 'interleaved', rotaryDim: 64 })
const falcon = {
  tokens: ['word_embeddings.weight'],
  scheme: falconPositions,
  defaults: sizes(4544, 71, 2048),
} as const
const xlnet = {
  tokens: ['word_embedding.weight'],
  defaults: sizes(1024, 16, 0, pad(5)),
  scheme: xlnetPositions,
  learned: {
    content_bias: ['layer.0.rel_attn.r_w_bias'],
    position_bias_vector: ['layer.0.rel_attn.r_r_bias'],
  },
} as const
const ctrl = {
  tokens: ['w.weight'],
  steps: scaled,
  scale: ctrlScale,
  scheme: ctrlSines,
  defaults: sizes(1280, 16, 256),
} as const
const openaiGpt = {
  defaults: sizes(768, 12, 512),
  tokens: ['tokens_embed.weight'],
  positions: 'positions_embed.weight',
  scheme: learned,
} as const
const neox = {
  defaults: sizes(6144, 64, 2048),
  prefixes: ['gpt_neox.', ''],
  tokens: ['embed_in.weight'],
  steps: plain,
  scheme: rope({ partial: 0.25 }),
} as const
const bloom = {
  defaults: sizes(64, 8, 0),
  tokens: ['word_embeddings.weight'],
  norm: 'word_embeddings_layernorm',
  epsilon: ['layer_norm_epsilon', 1e-5],
  steps: ['positions', 'norm'],
  scheme: bloomAlibi,
} as const
const opt = {
  defaults: sizes(768, 12, 2048, pad(1)),
  prefixes: ['model.', ''],
  tokens: ['decoder.embed_tokens.weight'],
  positions: 'decoder.embed_positions.weight',
  projection: 'decoder.project_in',
  steps: ['project', 'positions'],
  index: 'two_on_by_mask',
  scheme: learned,
} as const
/** LLaMA and families like it; with a question-answering head they are saved under `transformer`. */
const llama = {
  prefixes: ['model.', '', 'transformer.'],
  tokens: ['embed_tokens.weight'],
  steps: plain,
} as const
/** Prefixes of a multimodal model's language model, the newest first. */
const IN_MULTIMODAL = [
  'model.language_model.',
  'language_model.model.',
  'language_model.',
  'model.',
  '',
] as const
const t5 = {
  prefixes: ['', 'transformer.'],
  tokens: ['shared.weight', 'encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'],
  steps: plain,
  scheme: t5Bias,
  learned: {
    relative_attention_bias: ['encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight'],
  },
} as const
const bart = {
  defaults: sizes(1024, 16, 1024, pad(1)),
  prefixes: ['model.', ''],
  tokens: ['shared.weight', 'encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'],
  untied: 'encoder.embed_tokens.weight',
  positions: 'encoder.embed_positions.weight',
  norm: 'encoder.layernorm_embedding',
  epsilon: 1e-5,
  steps: ['scale', 'positions', 'norm'],
  scale: bartScale,
  index: 'two_on',
  scheme: learned,
} as const
const bert = {
  defaults: sizes(768, 12, 512, pad(0)),
  tokens: ['embeddings.word_embeddings.weight'],
  positions: 'embeddings.position_embeddings.weight',
  types: 'embeddings.token_type_embeddings.weight',
  typeVocabSize: 2,
  norm: 'embeddings.LayerNorm',
  epsilon: ['layer_norm_eps', 1e-12],
  steps: encoder,
  scheme: learned,
} as const
const electra = {
  prefixes: ['electra.', ''],
  steps: narrow,
  projection: 'embeddings_project',
  defaults: sizes(256, 4, 512, pad(0)),
} as const
const albert = {
  defaults: sizes(4096, 64, 512, pad(0)),
  prefixes: ['albert.', ''],
  projection: 'encoder.embedding_hidden_mapping_in',
  steps: narrow,
} as const
const modernbert = {
  defaults: sizes(768, 12, 8192, pad(50_283)),
  prefixes: ['model.', ''],
  tokens: ['embeddings.tok_embeddings.weight'],
  norm: 'embeddings.norm',
  epsilon: ['norm_eps', 1e-5],
  steps: ['positions', 'norm'],
  scheme: rope({ theta: 160_000 }),
} as const
const robertaSizes = sizes(768, 12, 512, pad(1))
const roberta = { ...bert, prefixes: ['roberta.', ''], index: 'after_pad', defaults: robertaSizes } as const
const mpnet = {
  prefixes: ['mpnet.', ''],
  types: undefined,
  index: 'after_one',
  defaults: robertaSizes,
} as const
const deberta = {
  ...bert,
  prefixes: ['deberta.', ''],
  typeVocabSize: 0,
  epsilon: ['layer_norm_eps', 1e-7],
  projection: 'embeddings.embed_proj',
  steps: ['positions', 'types', 'project', 'norm', 'mask'],
  learned: { rel_embeddings: ['encoder.rel_embeddings.weight'] },
} as const

const xglm = {
  steps: scaled,
  scale: xglmScale,
  index: 'two_on_but_pad',
  scheme: xglmSines,
  defaults: sizes(1024, 16, 2048, pad(1)),
} as const

const deepseekRope = { headDim: 'qk_rope_head_dim', layout: 'interleaved' } as const
/** GPT-OSS's rope if its config.json has none. */
const gptOssRope = ConfigJson.parse(
  '{"rope_type":"yarn","factor":32,"truncate":false,"original_max_position_embeddings":4096}',
)

const llamaLike = (defaults: FamilyDefaults, turned: RopeFamily = {}) => ({
  ...llama,
  defaults,
  scheme: rope(turned),
})
const gemmaLike = (
  defaults: FamilyDefaults,
  prefixes: readonly string[] = llama.prefixes,
  theta = 10_000,
) => ({ ...llama, defaults, prefixes, steps: scaled, scale: gemmaScale, scheme: rope({ theta }) })

const interleaved = { layout: 'interleaved' } as const

/**
 * By `model_type`. A new family needs its line here, its `model_type` in
 * src/first-layer/embeddings/architectures/checkpoints.ts, and a row for its first layer in docs/models.md.
 */
const TABLE: Readonly<Record<string, Omit<Family, 'modelType'>>> = {
  gpt2: { ...gpt, positions: 'wpe.weight', scheme: learned, defaults: gpt2 },
  gpt_neo: { ...gpt, positions: 'wpe.weight', scheme: learned, defaults: sizes(2048, 16, 2048) },
  gpt_bigcode: { ...gpt, positions: 'wpe.weight', scheme: learned, defaults: gpt2 },
  gptj: { ...gpt, scheme: gptjRope, defaults: gptj },
  codegen: { ...gpt, scheme: gptjRope, defaults: gptj },
  mpt: { ...gpt, scheme: mptAlibi, defaults: sizes(2048, 16, 2048) },
  falcon: { ...gpt, ...falcon },
  xlnet: { ...gpt, ...xlnet },
  ctrl: { ...gpt, ...ctrl },
  'openai-gpt': { ...gpt, ...openaiGpt },
  gpt_neox: neox,
  bloom: { ...gpt, ...bloom },
  opt,

  llama: llamaLike(llamaSizes),
  llama4: { ...llamaLike(llama4, { theta: 500_000, ...interleaved }), prefixes: IN_MULTIMODAL },
  llama4_text: { ...llamaLike(llama4, { theta: 500_000, ...interleaved }), prefixes: IN_MULTIMODAL },
  mistral: llamaLike(mistral),
  mixtral: llamaLike(mistral, { theta: 1e6 }),
  ministral: llamaLike(mistral),
  qwen2: llamaLike(sizes(4096, 32, 32_768)),
  qwen2_moe: llamaLike(sizes(2048, 16, 32_768)),
  qwen3: llamaLike(sizes(4096, 32, 32_768, { head_dim: 128 })),
  qwen3_moe: llamaLike(sizes(2048, 32, 32_768)),
  qwen3_next: llamaLike(sizes(2048, 16, 32_768, { head_dim: 256 }), { partial: 0.25 }),
  phi: llamaLike(sizes(2048, 32, 2048), { partial: 0.5 }),
  phi3: llamaLike(sizes(3072, 32, 4096, pad(32_000))),
  olmo: llamaLike(olmo),
  olmo2: llamaLike(olmo),
  olmo3: llamaLike(olmo, { theta: 500_000 }),
  olmoe: llamaLike(sizes(2048, 16, 4096, pad(1))),
  stablelm: llamaLike(sizes(2560, 32, 4096), { partial: 0.25 }),
  starcoder2: llamaLike(sizes(3072, 24, 4096)),
  cohere: llamaLike(cohere, { theta: 500_000, ...interleaved }),
  cohere2: llamaLike(cohere, interleaved),
  deepseek_v2: llamaLike(sizes(4096, 32, 2048, { qk_rope_head_dim: 64 }), deepseekRope),
  deepseek_v3: llamaLike(sizes(7168, 128, 4096, { qk_rope_head_dim: 64 }), deepseekRope),
  gpt_oss: llamaLike(sizes(2880, 64, 131_072, { head_dim: 64 }), { theta: 150_000, parameters: gptOssRope }),
  glm: llamaLike(glm, { partial: 0.5, ...interleaved }),
  glm4: llamaLike(glm, { partial: 0.5, ...interleaved }),
  smollm3: llamaLike(sizes(2048, 16, 32_768, pad(128_004)), { theta: 2e6 }),
  nemotron: llamaLike(sizes(6144, 48, 4096), { partial: 0.5 }),
  granite: { ...llamaLike(llamaSizes), steps: scaled, scale: graniteScale },
  granitemoe: { ...llamaLike(llamaSizes), steps: scaled, scale: graniteScale },
  falcon_h1: { ...llamaLike(sizes(4096, 32, 8192, pad(0))), steps: scaled, scale: falconH1Scale },
  xglm: { ...llama, ...xglm },
  gemma: gemmaLike(sizes(3072, 16, 8192, { ...pad(0), head_dim: 256 })),
  gemma2: gemmaLike(gemma2),
  gemma3_text: gemmaLike(gemma3, IN_MULTIMODAL, 1e6),
  gemma3: gemmaLike(gemma3, IN_MULTIMODAL, 1e6),

  t5: { ...t5, defaults: sizes(512, 8, 0, pad(0)) },
  mt5: { ...t5, defaults: sizes(512, 6, 0, pad(0)) },
  umt5: { ...t5, defaults: sizes(512, 6, 0, pad(0)) },
  bart,
  mbart: bart,

  bert: { ...bert, prefixes: ['bert.', ''] },
  roberta,
  'xlm-roberta': roberta,
  camembert: roberta,
  distilbert: { ...bert, prefixes: ['distilbert.', ''], types: undefined, epsilon: 1e-12 },
  electra: { ...bert, ...electra },
  albert: { ...bert, ...albert },
  mpnet: { ...bert, ...mpnet },
  deberta: { ...deberta, normRoundsParts: true, scheme: disentangled(1) },
  'deberta-v2': { ...deberta, scheme: disentangled(2), defaults: sizes(1536, 24, 512, pad(0)) },
  modernbert,
}

/** Every family. */
export const FAMILIES: readonly Family[] = Object.entries(TABLE).map(([modelType, family]) => ({
  modelType,
  ...family,
}))

/** Families that are refused, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  gemma3n: 'its blocks take a second input for each layer, looked up by id',
  gemma3n_text: 'its blocks take a second input for each layer, looked up by id',
  gemma4: 'its blocks take a second input for each layer, looked up by id',
  gemma4_text: 'its blocks take a second input for each layer, looked up by id',
  'transfo-xl': 'its tables are cut into clusters, and transformers no longer has it',
  mobilebert: 'its rows are made of three neighbours each',
}

/**
 * The family of a `model_type`.
 *
 * @throws InletError `model_failed` for one that is unknown or refused
 */
export function familyOf(modelType: string): Family {
  const family = FAMILIES.find((each) => each.modelType === modelType)
  if (family !== undefined) return family
  const why = Object.hasOwn(REFUSED, modelType) ? REFUSED[modelType] : undefined
  if (why !== undefined) throw folderError(CONFIG_FILE, `\`model_type\` ${modelType} is not served: ${why}`)
  const nearest = nearestFamily(modelType)
  const hint = nearest === undefined ? '' : ` nearest: ${nearest};`
  throw folderError(
    CONFIG_FILE,
    `\`model_type\` ${told(modelType)} is not served;${hint} docs/models.md has the families`,
  )
}

/** Most letters that differ from the nearest family's name. */
const NEAR = 3

/** `qwen3_5_text` → `qwen3`, its beginning; `lama` → `llama`; undefined where none is near. */
function nearestFamily(modelType: string): string | undefined {
  const names = FAMILIES.map((each) => each.modelType)
  const beginnings = names.filter((name) => modelType.startsWith(name)).sort((a, b) => b.length - a.length)
  return beginnings[0] ?? closestMatch(modelType.slice(0, 64), names, { maxDistance: NEAR })
}
