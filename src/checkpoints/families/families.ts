import { ConfigJson } from '../config-json.js'
import { folderError, told } from '../folder-error.js'
import { CONFIG_FILE } from '../model-files.js'
import type { Family, FamilyScale } from './family.js'
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

/** GPT-2 and those whose first layer has its names. */
const gpt = { prefixes: ['transformer.', ''], tokens: ['wte.weight'], steps: plain } as const
const gptjRope = rope({ layout: 'interleaved', rotaryDim: 64 })
const xlnet = {
  scheme: xlnetPositions,
  learned: {
    content_bias: ['layer.0.rel_attn.r_w_bias'],
    position_bias_vector: ['layer.0.rel_attn.r_r_bias'],
  },
} as const
const openaiGpt = {
  tokens: ['tokens_embed.weight'],
  positions: 'positions_embed.weight',
  scheme: learned,
} as const
const neox = {
  prefixes: ['gpt_neox.', ''],
  tokens: ['embed_in.weight'],
  steps: plain,
  scheme: rope({ partial: 0.25 }),
} as const
const bloom = {
  tokens: ['word_embeddings.weight'],
  norm: 'word_embeddings_layernorm',
  epsilon: ['layer_norm_epsilon', 1e-5],
  steps: ['positions', 'norm'],
  scheme: bloomAlibi,
} as const
const opt = {
  prefixes: ['model.', ''],
  tokens: ['decoder.embed_tokens.weight'],
  positions: 'decoder.embed_positions.weight',
  projection: 'decoder.project_in',
  steps: ['project', 'positions'],
  index: 'two_on_by_mask',
  scheme: learned,
} as const
/** LLaMA and the many like it; those that answer questions are saved as `transformer`. */
const llama = {
  prefixes: ['model.', '', 'transformer.'],
  tokens: ['embed_tokens.weight'],
  steps: plain,
} as const
/** The language model of a model that sees: as saved today, and as older files have it. */
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
  tokens: ['embeddings.word_embeddings.weight'],
  positions: 'embeddings.position_embeddings.weight',
  types: 'embeddings.token_type_embeddings.weight',
  typeVocabSize: 2,
  norm: 'embeddings.LayerNorm',
  epsilon: ['layer_norm_eps', 1e-12],
  steps: encoder,
  scheme: learned,
} as const
const albert = {
  prefixes: ['albert.', ''],
  projection: 'encoder.embedding_hidden_mapping_in',
  steps: narrow,
} as const
const modernbert = {
  prefixes: ['model.', ''],
  tokens: ['embeddings.tok_embeddings.weight'],
  norm: 'embeddings.norm',
  epsilon: ['norm_eps', 1e-5],
  steps: ['positions', 'norm'],
  scheme: rope({ theta: 160_000 }),
} as const
const roberta = { ...bert, prefixes: ['roberta.', ''], index: 'after_pad' } as const
const deberta = {
  ...bert,
  prefixes: ['deberta.', ''],
  typeVocabSize: 0,
  epsilon: ['layer_norm_eps', 1e-7],
  projection: 'embeddings.embed_proj',
  steps: ['positions', 'types', 'project', 'norm', 'mask'],
  learned: { rel_embeddings: ['encoder.rel_embeddings.weight'] },
} as const

/** GPT-OSS's rope where its config.json says nothing. */
const gptOssRope = ConfigJson.parse(
  '{"rope_type":"yarn","factor":32,"truncate":false,"original_max_position_embeddings":4096}',
)

const llamaLike = (modelType: string, turned: RopeFamily = {}): Family => ({
  ...llama,
  modelType,
  scheme: rope(turned),
})
const gemmaLike = (
  modelType: string,
  prefixes: readonly string[] = llama.prefixes,
  theta = 10_000,
): Family => ({
  ...{ ...llama, modelType, prefixes },
  ...{ steps: scaled, scale: gemmaScale, scheme: rope({ theta }) },
})

/** Every family. To add one, add its line here, and say in docs/models.md what its first layer does. */
export const FAMILIES: readonly Family[] = [
  { ...gpt, modelType: 'gpt2', positions: 'wpe.weight', scheme: learned },
  { ...gpt, modelType: 'gpt_neo', positions: 'wpe.weight', scheme: learned },
  { ...gpt, modelType: 'gpt_bigcode', positions: 'wpe.weight', scheme: learned },
  { ...gpt, modelType: 'gptj', scheme: gptjRope },
  { ...gpt, modelType: 'codegen', scheme: gptjRope },
  { ...gpt, modelType: 'mpt', scheme: mptAlibi },
  { ...gpt, modelType: 'falcon', tokens: ['word_embeddings.weight'], scheme: falconPositions },
  { ...gpt, modelType: 'xlnet', tokens: ['word_embedding.weight'], ...xlnet },
  { ...gpt, modelType: 'ctrl', tokens: ['w.weight'], steps: scaled, scale: ctrlScale, scheme: ctrlSines },
  { ...gpt, modelType: 'openai-gpt', ...openaiGpt },
  { modelType: 'gpt_neox', ...neox },
  { ...gpt, modelType: 'bloom', ...bloom },
  { modelType: 'opt', ...opt },

  llamaLike('llama'),
  { ...llamaLike('llama4', { theta: 500_000, layout: 'interleaved' }), prefixes: IN_MULTIMODAL },
  { ...llamaLike('llama4_text', { theta: 500_000, layout: 'interleaved' }), prefixes: IN_MULTIMODAL },
  llamaLike('mistral'),
  llamaLike('mixtral', { theta: 1e6 }),
  llamaLike('ministral'),
  llamaLike('qwen2'),
  llamaLike('qwen2_moe'),
  llamaLike('qwen3'),
  llamaLike('qwen3_moe'),
  llamaLike('qwen3_next', { partial: 0.25 }),
  llamaLike('phi', { partial: 0.5 }),
  llamaLike('phi3'),
  llamaLike('olmo'),
  llamaLike('olmo2'),
  llamaLike('olmo3', { theta: 500_000 }),
  llamaLike('olmoe'),
  llamaLike('stablelm', { partial: 0.25 }),
  llamaLike('starcoder2'),
  llamaLike('cohere', { theta: 500_000, layout: 'interleaved' }),
  llamaLike('cohere2', { layout: 'interleaved' }),
  llamaLike('deepseek_v2', { headDim: 'qk_rope_head_dim', layout: 'interleaved' }),
  llamaLike('deepseek_v3', { headDim: 'qk_rope_head_dim', layout: 'interleaved' }),
  llamaLike('gpt_oss', { theta: 150_000, parameters: gptOssRope }),
  llamaLike('glm', { partial: 0.5, layout: 'interleaved' }),
  llamaLike('glm4', { partial: 0.5, layout: 'interleaved' }),
  llamaLike('smollm3', { theta: 2e6 }),
  llamaLike('nemotron', { partial: 0.5 }),
  { ...llamaLike('granite'), steps: scaled, scale: graniteScale },
  { ...llamaLike('granitemoe'), steps: scaled, scale: graniteScale },
  { ...llamaLike('falcon_h1'), steps: scaled, scale: falconH1Scale },
  {
    ...llama,
    modelType: 'xglm',
    steps: scaled,
    scale: xglmScale,
    index: 'two_on_but_pad',
    scheme: xglmSines,
  },
  gemmaLike('gemma'),
  gemmaLike('gemma2'),
  gemmaLike('gemma3_text', IN_MULTIMODAL, 1e6),
  gemmaLike('gemma3', IN_MULTIMODAL, 1e6),

  { ...t5, modelType: 't5' },
  { ...t5, modelType: 'mt5' },
  { ...t5, modelType: 'umt5' },
  { ...bart, modelType: 'bart' },
  { ...bart, modelType: 'mbart' },

  { ...bert, modelType: 'bert', prefixes: ['bert.', ''] },
  { ...roberta, modelType: 'roberta' },
  { ...roberta, modelType: 'xlm-roberta' },
  { ...roberta, modelType: 'camembert' },
  { ...bert, modelType: 'distilbert', prefixes: ['distilbert.', ''], types: undefined, epsilon: 1e-12 },
  {
    ...bert,
    modelType: 'electra',
    prefixes: ['electra.', ''],
    steps: narrow,
    projection: 'embeddings_project',
  },
  { ...bert, modelType: 'albert', ...albert },
  { ...bert, modelType: 'mpnet', prefixes: ['mpnet.', ''], types: undefined, index: 'after_one' },
  { ...deberta, modelType: 'deberta', normRoundsParts: true, scheme: disentangled(1) },
  { ...deberta, modelType: 'deberta-v2', scheme: disentangled(2) },
  { modelType: 'modernbert', ...modernbert },
]

/** Families that this service cannot serve, and why. */
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
 * @throws InletError `model_failed` for one that is unknown or refused: nothing is guessed
 */
export function familyOf(modelType: string): Family {
  const family = FAMILIES.find((each) => each.modelType === modelType)
  if (family !== undefined) return family
  const why = Object.hasOwn(REFUSED, modelType) ? REFUSED[modelType] : undefined
  if (why !== undefined) throw folderError(CONFIG_FILE, `\`model_type\` ${modelType} is not served: ${why}`)
  const known = FAMILIES.map((each) => each.modelType).join(', ')
  throw folderError(CONFIG_FILE, `\`model_type\` must be one of ${known}. Given: ${told(modelType)}`)
}
