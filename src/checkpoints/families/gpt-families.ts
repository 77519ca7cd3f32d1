import { type Families, pad, plain, scaled, sizes } from './family.js'
import {
  bloomAlibi,
  ctrlScale,
  ctrlSines,
  falconPositions,
  learned,
  mptAlibi,
  rope,
  xlnetPositions,
} from './schemes.js'

const gpt2 = sizes(768, 12, 1024)
const gptj = sizes(4096, 16, 2048)

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

/** Decoders with GPT-2's names, and their like of before LLaMA. */
export const GPT_FAMILIES: Families = {
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
}
