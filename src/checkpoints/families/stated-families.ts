import { alike, type Families, IN_MULTIMODAL, scaled } from './family.js'
import { gemmaSteps, llama } from './llama-families.js'
import {
  graniteScale,
  hrmScale,
  recurrentGemmaScale,
  rootIf,
  scaleIn,
  statedRope,
  uncomputedRope,
} from './schemes.js'

const stated = { ...llama, defaults: {}, scheme: statedRope() } as const
/** Within a model of pictures or sounds. */
const within = { ...stated, prefixes: IN_MULTIMODAL } as const
const named = (token: string, ...prefixes: readonly string[]) => ({
  ...stated,
  tokens: [token, 'embed_tokens.weight'],
  prefixes: [...prefixes, ''],
})
const inText = {
  ...stated,
  prefixes: ['model.text_model.', 'text_model.model.', 'text_model.', 'model.', ''],
} as const
/** Rope that turns neighbouring elements, not halves. */
const neighbours = { scheme: statedRope({ layout: 'interleaved' }) } as const

const gemma = { ...within, ...gemmaSteps } as const
const gemma4 = { ...gemma, scheme: statedRope({ headDim: 'global_head_dim' }) } as const
const scaledAfter = { ...within, steps: scaled, scale: graniteScale } as const

const rms = { steps: ['norm', 'positions'], isRms: true, embedSteps: 1 } as const
const inkling = {
  ...{ ...within, ...rms },
  epsilon: ['rms_norm_eps', 1e-6],
  prefixes: ['model.llm.', 'llm.', ''],
  tokens: ['embed.weight'],
  norm: 'embed_norm',
} as const
const inklingText = {
  ...inkling,
  prefixes: ['model.', ''],
  tokens: llama.tokens,
  norm: 'embed_tokens.embed_norm',
}
const muse = { ...within, ...rms, epsilon: ['rms_norm_eps', 1e-5] } as const

/** Families without defaults: config.json states every number. They stand by what is done to their rows. */
export const STATED_FAMILIES: Families = {
  // the row
  ...alike(
    stated,
    `apertus apertus1p5_text arcee aria_text bamba beam bitnet cohere_compass_text cwm diffllama doge dots1
    exaone4 exaone_moe flex_olmo flint glm4_moe hy_v3 hy_v4 internlm3 iquestcoder jais2
    jamba kimi_linear kolibri1 laguna lara_mini lfm2 lfm2_moe lfm3 mellum mimo_v2_flash minimax minimax_m2
    ministral3 olmo_hybrid persimmon phi4_multimodal phimoe qwen3_5_moe_text qwen3_5_text
    qwen4_exp_text seed_oss solar_open zamba zaya`,
  ),
  ...alike(
    { ...stated, ...neighbours },
    `axk1 axk2 cohere2_moe deepseek_v32 dots3_note dots3_note_text ernie4_5 ernie4_5_moe glm4_moe_lite glm_moe_dsa
    helium longcat_flash mistral4 sarvam_mla youtu`,
  ),
  ...alike(
    within,
    `apertus1p5 aria chameleon cohere_compass cosmos3_edge cosmos3_omni deepseek_ocr2 deepseek_vl deepseek_vl_hybrid
    evolla exaone4_5 fast_vlm fun_asr_nano fuyu glm46v glm4v_moe glm5_next glmasr glmga got_ocr2 hy_v4_vl
    internvl janus kimi_k25 lfm2_vl lfm3_vl lighton_ocr llava llava_next llava_next_video llava_onevision minicpm_ocr
    minicpmv4_6 minicpmv4_7 mistral3 moss_transcribe_diarize omniasr ovis2 paddleocr_vl perception_lm
    pp_chart2table qianfan_ocr qwen2_5_omni_thinker qwen2_5_vl qwen2_audio qwen2_vl qwen3_5 qwen3_5_moe qwen3_asr
    qwen3_omni_moe_thinker qwen3_vl qwen3_vl_moe qwen4_exp step3p7 unlimited_ocr vibevoice_asr video_llama_3 video_llava
    vipllava voxtral`,
  ),
  ...alike({ ...stated, scheme: statedRope({ hasAlpha: true }) }, 'hunyuan_v1_dense hunyuan_v1_moe'),
  hunyuan_vl: { ...within, scheme: statedRope({ hasAlpha: true }) },
  jetmoe: { ...stated, scheme: statedRope({ headDim: 'kv_channels' }) },
  zamba2: { ...stated, scheme: statedRope({ headDim: 'attention_head_dim' }) },
  // Its `rotary_dim` is not read: `partial_rotary_factor` counts.
  minimax_m3_vl_text: { ...stated, scheme: statedRope({ rotary: '' }) },
  minimax_m3_vl: { ...within, scheme: statedRope({ rotary: '' }) },
  // Three positions have frequencies of their own, in an order of its own.
  ernie4_5_vl_moe: { ...within, scheme: uncomputedRope },
  ...alike({ ...within, ...neighbours }, 'aya_vision cohere2_vision glm4v glm_ocr'),
  ...alike(inText, 'emu3 emu3_text_model idefics2 idefics3 smolvlm'),
  ...alike(
    named('embeddings.weight', 'backbone.', 'language_model.backbone.'),
    'dory falcon_mamba mamba mamba2 nemotron_h nemotron_h_omni xlstm',
  ),
  ...alike({ ...named('word_embeddings.weight', 'model.'), ...neighbours }, 'bailing_hybrid sarvam_moe'),
  ...alike(named('wte.weight', 'transformer.', 'model.'), 'dbrx exaone'),
  ...alike(
    { ...stated, textIn: 'thinker_config', prefixes: ['thinker.model.', 'thinker.'] },
    'qwen2_5_omni qwen3_omni_moe',
  ),
  blt: { ...stated, tokens: ['local_encoder.embed_tokens.weight'] },
  // `embed.weight` as DeepSeek publishes it, which transformers renames as it loads.
  deepseek_v4: { ...stated, tokens: [...llama.tokens, 'embed.weight'] },
  gpt_neox_japanese: named('embed_in.weight', 'gpt_neox_japanese.'),
  mistral_large4: { ...named('tok_embeddings.weight', 'model.language_model.'), ...neighbours },
  ...alike({ ...within, moreRows: 8 }, 'mllama mllama_text_model'),
  molmo2: {
    ...named('wte.embedding', 'model.transformer.', 'transformer.'),
    moreTokens: 'wte.new_embedding',
  },
  moshi: { ...stated, prefixes: ['model.', 'decoder.model.', ''], moreRows: 1 },
  nemo_speechlm: { ...stated, prefixes: ['llm.model.', 'model.language_model.', ''] },
  pix2struct: { ...stated, prefixes: ['decoder.', ''], reader: 'encoder_decoder' },
  rwkv: named('embeddings.weight', 'rwkv.'),
  // × √C, rounded as Gemma rounds it
  ...alike(gemma, 'gemma3n gemma3n_text paligemma vaultgemma'),
  ...alike(gemma4, 'gemma4 gemma4_text gemma4_unified gemma4_unified_text'),
  diffusion_gemma: { ...gemma4, prefixes: ['model.decoder.', 'decoder.', ...IN_MULTIMODAL] },
  shieldgemma2: { ...gemma, prefixes: ['model.model.language_model.model.', ...IN_MULTIMODAL] },
  minicpm3: { ...gemma, scale: scaleIn('scale_emb', 12, 'model') },
  // × a number or √C, after the embedding module
  ...alike(
    scaledAfter,
    `granite4_vision granite_speech granite_speech_plus granite_swa granitemoe_swa granitemoehybrid granitemoeshared
    hyperclovax hyperclovax_vision_v2`,
  ),
  granite_docling: { ...scaledAfter, prefixes: inText.prefixes, scale: scaleIn('embedding_multiplier', 12) },
  afmoe: { ...scaledAfter, scale: rootIf('mup_enabled', false) },
  recurrent_gemma: { ...scaledAfter, scale: recurrentGemmaScale },
  hrm_text: { ...scaledAfter, scale: hrmScale, steps: ['scale', 'vector', 'positions'], vector: 'z_L_init' },
  // RMSNorm
  nanochat: { ...muse, epsilon: ['rms_norm_eps', 1e-6], embedSteps: 0 },
  ...alike(muse, 'muse_glimmer muse_spark'),
  inkling_mm_model: { ...inkling, normRoundsParts: true },
  inkling_text: { ...inklingText, normRoundsParts: true },
  ...alike(inkling, 'inkling2 inkling2_loop inkling2_loop_text inkling2_text'),
}
