import { ConfigJson } from '../config-json.js'
import { alike, type FamilyDefaults, type SchemeOf } from './family.js'

/**
 * What counts for rope in config.json, and stands in the configuration class where config.json leaves it out: a constant of
 * the class, not `hidden_size` through the heads. For each field and value the types that have it.
 *
 * Source: the classes of transformers 5.24, as `test/goldens/rope_types.py` makes them.
 */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  head_dim: {
    128: `afmoe beam cohere2_moe cosmos3_edge cosmos3_omni cwm ernie4_5 flint fun_asr_nano helium hrm_text hy_v3 internlm3
      iquestcoder kolibri1 laguna lara_mini lfm3 lfm3_vl lighton_ocr mellum minimax_m2 minimax_m3_vl minimax_m3_vl_text
      ministral3 molmo2 moss_transcribe_diarize muse_glimmer paddleocr_vl qianfan_ocr qwen3_asr qwen3_vl seed_oss solar_open
      step3p7 voxtral zaya`,
    192: 'mimo_v2_flash',
    256: `diffusion_gemma dory gemma3n gemma3n_text gemma4 gemma4_text gemma4_unified gemma4_unified_text minicpm_ocr
      minicpmv4_6 minicpmv4_7 paligemma qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp qwen4_exp_text
      shieldgemma2 t5gemma2 vaultgemma`,
  },
  global_head_dim: { 512: 'diffusion_gemma gemma4 gemma4_text gemma4_unified gemma4_unified_text' },
  qk_rope_head_dim: {
    32: 'axk2 minicpm3',
    64: `axk1 bailing_hybrid deepseek_v32 deepseek_v4 dots3_note dots3_note_text glm4_moe_lite glm_moe_dsa hy_v4 hy_v4_vl
      kimi_k25 longcat_flash mistral4 mistral_large4 sarvam_mla youtu`,
  },
  partial_rotary_factor: {
    0.25: 'minicpm_ocr minicpmv4_6 minicpmv4_7 qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text',
    0.334: 'mimo_v2_flash',
    0.5: 'bamba fuyu glm4_moe glm4v_moe laguna persimmon recurrent_gemma zaya',
  },
  rope_theta: {
    100000: 'helium',
    160000: 'modernbert-decoder',
    500000: `bitnet cosmos3_omni ernie4_5 ernie4_5_moe evolla exaone flex_olmo mllama mllama_text_model paddleocr_vl qwen3_vl
      qwen3_vl_moe`,
    1000000: `cwm gemma3n gemma3n_text shieldgemma2 t5gemma2 emu3 emu3_text_model lfm2 lfm2_moe lfm2_vl minimax phimoe qwen2_5_omni qwen2_5_omni_thinker qwen2_5_vl
      qwen2_vl qwen3_omni_moe qwen3_omni_moe_thinker solar_open`,
    5000000: 'minimax_m2 minimax_m3_vl minimax_m3_vl_text',
    6000000: 'bailing_hybrid',
    8000000: 'sarvam_moe',
    10000000: 'longcat_flash',
    11158840: 'hy_v3',
    12000000: 'apertus apertus1p5 apertus1p5_text',
    80000000: 'dots3_note dots3_note_text',
    100000000: 'cosmos3_edge voxtral',
  },
}

const LLAMA3 = { rope_type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4 }
const YARN = { rope_type: 'yarn', mscale: 1, mscale_all_dim: 1 }

/** `rope_parameters` of classes where config.json has none: they come before a `rope_theta` that it states. */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ...alike(
    { ...LLAMA3, rope_theta: 12_000_000, original_max_position_embeddings: 8192 },
    'apertus apertus1p5 apertus1p5_text',
  ),
  ...alike({ rope_theta: 10_000 }, 'beam glmasr'),
  ...alike({ rope_theta: 500_000 }, 'laguna mellum muse_spark'),
  ...alike({ rope_theta: 5_000_000 }, 'mimo_v2_flash zaya'),
  cosmos3_edge: { rope_theta: 100_000_000 },
  dory: { rope_theta: 10_000_000 },
  gpt_oss: { rope_type: 'yarn', factor: 32, truncate: false, original_max_position_embeddings: 4096 },
  cwm: { ...LLAMA3, rope_theta: 1_000_000, factor: 16, original_max_position_embeddings: 8192 },
  ministral3: { ...YARN, rope_theta: 1_000_000, factor: 16, original_max_position_embeddings: 16_384 },
  mistral4: { ...YARN, rope_theta: 10_000, factor: 128, original_max_position_embeddings: 8192 },
  mistral_large4: {
    ...{ rope_type: 'yarn', rope_theta: 10_000, factor: 2048, original_max_position_embeddings: 512 },
    attention_factor: 1,
  },
  ...alike(
    { rope_type: 'proportional', rope_theta: 1_000_000 },
    'diffusion_gemma gemma4 gemma4_text gemma4_unified gemma4_unified_text lfm3 lfm3_vl',
  ),
}

/** A family's scheme with what its class has where config.json has nothing. */
export function withRopeParameters(modelType: string, scheme: SchemeOf): SchemeOf {
  const parameters = PARAMETERS[modelType]
  if (parameters === undefined) return scheme
  const own = new ConfigJson({ rope_parameters: parameters })
  return (config) => scheme(config.filled('rope_scaling', 'rope_parameters') ? config : own.over(config))
}

export function ropeDefaults(modelType: string): FamilyDefaults {
  const found = Object.entries(DEFAULTS).flatMap(([field, values]) =>
    Object.entries(values)
      .filter(([, types]) => types.split(/\s+/).includes(modelType))
      .map(([value]) => [field, Number(value)] as const),
  )
  return Object.fromEntries(found)
}
