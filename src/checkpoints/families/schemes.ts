import { CONFIG_FILE, folderError } from '../checkpoint-files.js'
import type { ConfigJson } from '../config-json.js'
import type { FamilyScale, SchemeOf } from './family.js'

const HEADS = [
  'num_attention_heads',
  'n_head',
  'num_heads',
  'n_heads',
  'attention_heads',
  'encoder_attention_heads',
]
const WIDTH = ['n_embed', 'hidden_size', 'n_embd', 'd_model', 'dim', 'emb_dim', 'embed_dim']

const heads = (config: ConfigJson) => config.neededSize(...HEADS)
export const hiddenSize = (config: ConfigJson) => config.neededSize(...WIDTH)

/** Elements of a head by default. */
function headWidth(config: ConfigJson): number {
  const [hidden, count] = [hiddenSize(config), heads(config)]
  if (count <= hidden) return Math.floor(hidden / count)
  throw folderError(CONFIG_FILE, `asks for ${count} heads, which must be at most \`hidden_size\` ${hidden}`)
}

/** A family's defaults for rope; absent ones are LLaMA's. */
export interface RopeFamily {
  readonly theta?: number
  /** Share of the head's elements that rotate. */
  readonly partial?: number
  /** Elements of the head that rotate. */
  readonly rotaryDim?: number
  /** config.json's name of them, if it is not `rotary_dim`. */
  readonly rotary?: string
  readonly layout?: 'half' | 'interleaved'
  /** config.json's name of the width of a head, if it is not `head_dim`. */
  readonly headDim?: string
  /** Whether dynamic scaling with an `alpha` raises the base at every length (Hunyuan). */
  readonly hasAlpha?: boolean
}

/**
 * Rotary positions from `rope_parameters` (transformers 5), or `rope_theta` and `rope_scaling` (before); if they differ
 * between layers, those of full attention.
 */
export function rope(family: RopeFamily = {}): SchemeOf {
  const { theta = 10_000, partial = 1, layout = 'half', headDim: name = 'head_dim' } = family
  return (config) => {
    const given = config.filled('rope_scaling', 'rope_parameters')
    const parameters = given && ofLayers(given)
    const all = parameters?.over(config) ?? config
    const headDim = config.size(name) ?? config.size('head_dim') ?? headWidth(config)
    const alpha = family.hasAlpha ? parameters?.number('alpha') : undefined
    const scaling = alpha || !parameters ? undefined : ropeScaling(parameters, config, parameters !== given)
    const isWhole = name === ROTATED || (scaling === undefined && !hasShare(config))
    const share = (isWhole ? 1 : all.number('partial_rotary_factor', 'rotary_pct')) ?? partial
    const turned =
      config.size(family.rotary ?? 'rotary_dim') ?? family.rotaryDim ?? Math.floor(headDim * share)
    if (turned === 0) return 'none'
    if (turned % 2 !== 0 || turned > headDim) return otherRope
    if (typeof scaling === 'string') return { type: 'none', rope_type: scaling }
    const base = all.number('rope_theta', 'rotary_emb_base', 'global_rope_theta') ?? theta
    const rope_theta = alpha ? base * alpha ** (turned / (turned - 2)) : base
    return {
      type: 'rope',
      ...{ head_dim: headDim, rotary_dim: turned, rope_theta, layout },
      ...(scaling && { scaling }),
    }
  }
}

/** Types that turn a share of a head; others read `partial_rotary_factor` for scaled frequencies alone. */
const SHARING =
  /^(bamba|deepseek_v4|diffusion_gemma|exaone$|fuyu|glm(?!5|asr|_moe_dsa)|gpt_neox|internlm|kimi_linear|laguna|mellum|mimo|minicpm(?!3)|minimax_m|nemotron|persimmon|phi(?!moe)|qwen3_5|qwen3_next|qwen4|recurrent_gemma|sarvam|solar|stablelm|step3|zaya)/
const hasShare = (config: ConfigJson) => SHARING.test(config.text('model_type') ?? 'fuyu')

/** The parameters of one kind of layer: of full attention, or else of the first that looks further than a window. */
function ofLayers(parameters: ConfigJson): ConfigJson {
  const kinds = parameters.objectNames()
  const kind =
    kinds.find((each) => each === 'full_attention') ??
    kinds.find((each) => !each.startsWith('sliding')) ??
    kinds[0]
  return kind === undefined ? parameters : parameters.object(kind)!
}

/** config.json's name of the elements of a head that rotate, all of them (DeepSeek). */
const ROTATED = 'qk_rope_head_dim'

/** A rope that is not computed. */
const otherRope = { type: 'none', rope_type: 'other' }
export const uncomputedRope: SchemeOf = () => otherRope

/** {@link rope} if config.json states it; of a family of which no more is known there are no defaults. */
export const statedRope =
  (family: RopeFamily = {}): SchemeOf =>
  (config) => {
    const given = config.filled('rope_scaling', 'rope_parameters') ?? config.number('rope_theta')
    if (given === undefined || config.number(...HEADS) === undefined) return 'none'
    return rope((config.number(ROTATED) ?? 0) > 0 ? { ...family, headDim: ROTATED } : family)(config)
  }

/** The numbers that each kind of scaling takes as config.json has them. */
const SCALING: Readonly<Record<string, readonly string[]>> = {
  linear: ['factor'],
  dynamic: ['factor'],
  llama3: ['factor', 'low_freq_factor', 'high_freq_factor'],
  yarn: ['factor', 'beta_fast', 'beta_slow', 'mscale', 'mscale_all_dim', 'attention_factor'],
}

/** Kinds that are none for text alone (the three positions of `mrope` are one), or are not computed; `su` was LongRoPE's first name. */
const UNSCALED: Readonly<Record<string, 'longrope' | 'proportional' | undefined>> = {
  ...{ default: undefined, mrope: undefined },
  ...{ longrope: 'longrope', su: 'longrope', proportional: 'proportional' },
}

/** The wire's `scaling`; undefined for none, a text for a kind that is not computed. */
function ropeScaling(
  parameters: ConfigJson,
  config: ConfigJson,
  isOfLayers: boolean,
): Record<string, unknown> | 'longrope' | 'proportional' | 'other' | undefined {
  const type = parameters.text('rope_type', 'type') ?? 'default'
  if (Object.hasOwn(UNSCALED, type)) return UNSCALED[type]
  if (!Object.hasOwn(SCALING, type)) return 'other'
  const longest = () => config.neededSize('max_position_embeddings', 'n_positions', 'max_seq_len')
  // config.json's own value comes first, as in transformers, but not before that of a kind of layer.
  const trained = () =>
    (isOfLayers ? undefined : config.size('original_max_position_embeddings')) ??
    parameters.size('original_max_position_embeddings') ??
    longest()
  const numbers = SCALING[type].map((name) => [name, parameters.number(name)] as const)
  const scaling: Record<string, unknown> = {
    type,
    ...Object.fromEntries(numbers.filter(([, value]) => value !== undefined)),
  }
  if (type === 'dynamic') scaling.max_position_embeddings = longest()
  if (type === 'llama3' || type === 'yarn') scaling.original_max_position_embeddings = trained()
  if (type !== 'yarn') return scaling
  scaling.factor ??= longest() / trained()
  // Null is no true in Python.
  const truncate = parameters.isNull('truncate') ? false : parameters.flag('truncate')
  return { ...scaling, ...(truncate !== undefined && { truncate }) }
}

export const learned: SchemeOf = () => 'learned_absolute'

export const bloomAlibi: SchemeOf = (config) => ({ type: 'alibi', num_heads: heads(config), form: 'key' })

export const mptAlibi: SchemeOf = (config) => ({ type: 'alibi', num_heads: heads(config) })

export const falconPositions: SchemeOf = (config) => (config.flag('alibi') ? bloomAlibi : rope())(config)

export const t5Bias: SchemeOf = (config) => ({
  type: 't5',
  num_heads: heads(config),
  num_buckets: config.size('relative_attention_num_buckets') ?? 32,
  max_distance: config.size('relative_attention_max_distance') ?? 128,
})

/** Relative positions in attention; under `position_biased_input` rows are added too, and only those are reported. */
export function disentangled(version: 1 | 2): SchemeOf {
  return (config) => {
    if (config.flag('position_biased_input') ?? true) return 'learned_absolute'
    if (!(config.flag('relative_attention') ?? false)) return 'none'
    const stated = config.number('max_relative_positions') ?? -1
    const buckets = config.number('position_buckets') ?? -1
    return {
      type: 'deberta',
      version,
      max_relative_positions: stated < 1 ? config.neededSize('max_position_embeddings') : stated,
      ...(version === 2 && { position_buckets: Math.max(0, buckets) }),
    }
  }
}

export const xlnetPositions: SchemeOf = (config) => ({
  type: 'transformer_xl',
  num_heads: heads(config),
  clamp_length: config.number('clamp_len') ?? -1,
})

/** Fixed sines, then cosines: CTRL's, Marian's. */
export const ctrlSines: SchemeOf = () => ({ type: 'sinusoidal', layout: 'concatenated' })

/** XGLM's and KOSMOS's, as in tensor2tensor and fairseq. */
export const xglmSines: SchemeOf = () => ({
  type: 'sinusoidal',
  variant: 'tensor2tensor',
  precision: 'float32',
})

const rootOfWidth = (config: ConfigJson) => Math.sqrt(hiddenSize(config))
/** √C if a flag is true. */
export const rootIf = (flag: string, byDefault: boolean): FamilyScale => ({
  factor: (config) => ((config.flag(flag) ?? byDefault) ? rootOfWidth(config) : undefined),
})
/** A number of config.json. */
export const scaleIn = (field: string, byDefault: number, rounded?: 'model'): FamilyScale => ({
  factor: (config) => config.number(field) ?? byDefault,
  ...(rounded && { rounded }),
})

/** √C, rounded to the model's dtype before it multiplies. */
export const gemmaScale: FamilyScale = { factor: rootOfWidth, rounded: 'model' }
/** √C in float32. */
export const rootScale: FamilyScale = { factor: rootOfWidth }
/** √C, rounded to bfloat16 whatever the model's dtype is. */
export const recurrentGemmaScale: FamilyScale = { factor: rootOfWidth, rounded: 'bfloat16' }
export const graniteScale = scaleIn('embedding_multiplier', 1)
export const hrmScale: FamilyScale = {
  factor: (config) => config.number('embedding_scale') ?? 1 / (config.number('initializer_range') ?? 0.02),
}
