import { modernbert } from './encoder-families.js'
import { alike, type Families, IN_MULTIMODAL, pad, plain, scaled, sizes } from './family.js'
import {
  bloomAlibi,
  ctrlSines,
  falconPositions,
  learned,
  mptAlibi,
  rootIf,
  rootScale,
  rope,
  statedRope,
  xglmSines,
  xlnetPositions,
} from './schemes.js'

/** GPT-2 and families with its names. */
const gpt = { prefixes: ['transformer.', ''], tokens: ['wte.weight'], steps: plain } as const
const gpt2 = { ...gpt, positions: 'wpe.weight', scheme: learned, defaults: sizes(768, 12, 1024) } as const
const gptj = {
  ...gpt,
  scheme: rope({ layout: 'interleaved', rotaryDim: 64 }),
  defaults: sizes(4096, 16, 2048),
} as const
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
  scale: rootScale,
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

/** A decoder with BART's names; TrOCR's and Whisper's, which listen to an encoder of other things than text. */
const trocr = {
  ...opt,
  defaults: {},
  projection: undefined,
  norm: 'decoder.layernorm_embedding',
  epsilon: 1e-5,
  steps: ['scale', 'positions', 'norm'],
  scale: rootIf('scale_embedding', false),
  embedSteps: 1,
  index: 'two_on',
} as const
const whisper = { ...trocr, steps: plain, embedSteps: 0, index: 'plain', norm: undefined } as const
const biogpt = {
  ...trocr,
  prefixes: ['biogpt.', ''],
  tokens: ['embed_tokens.weight'],
  positions: 'embed_positions.weight',
  norm: undefined,
  steps: scaled,
  scale: rootIf('scale_embedding', true),
} as const
const xlm = {
  ...gpt,
  defaults: pad(2),
  tokens: ['embeddings.weight'],
  positions: 'position_embeddings.weight',
  norm: 'layer_norm_emb',
  epsilon: ['layer_norm_eps', 1e-12],
  steps: ['positions', 'norm', 'mask'],
  scheme: learned,
} as const
const reformer = {
  defaults: pad(0),
  prefixes: ['reformer.', ''],
  tokens: ['embeddings.word_embeddings.weight'],
  positions: 'embeddings.position_embeddings.weights.0',
  axis: 'embeddings.position_embeddings.weights.1',
  steps: plain,
  scheme: learned,
} as const
const kosmos = {
  defaults: pad(1),
  prefixes: ['text_model.model.', 'text_model.', ''],
  tokens: ['embed_tokens.weight'],
  steps: scaled,
  scale: rootIf('scale_embedding', true),
  index: 'after_pad',
  scheme: xglmSines,
} as const

/** Decoders with GPT-2's names, and their like of before LLaMA. */
export const GPT_FAMILIES: Families = {
  ...alike(gpt2, 'gpt2 gpt-sw3 gpt_bigcode'),
  gpt_neo: { ...gpt2, defaults: sizes(2048, 16, 2048) },
  ...alike(gptj, 'gptj codegen'),
  mpt: { ...gpt, scheme: mptAlibi, defaults: sizes(2048, 16, 2048) },
  falcon: { ...gpt, ...falcon },
  xlnet: { ...gpt, ...xlnet },
  ctrl: { ...gpt, ...ctrl },
  'openai-gpt': { ...gpt, ...openaiGpt },
  gpt_neox: neox,
  bloom: { ...gpt, ...bloom },
  opt,
  ...alike({ ...opt, prefixes: IN_MULTIMODAL }, 'blip-2 instructblip instructblipvideo'),
  'modernbert-decoder': { ...modernbert, reader: undefined, scheme: statedRope() },
  biogpt,
  trocr,
  whisper: { ...whisper, reader: 'encoder_decoder' },
  xlm: { ...xlm, reader: 'encoder' },
  reformer,
  'kosmos-2': kosmos,
  'kosmos-2.5': { ...kosmos, vector: 'segment_emb.weight' },
}
