import { encoder, type Families, narrow, pad, plain, sizes } from './family.js'
import { bartScale, disentangled, learned, rope, t5Bias } from './schemes.js'

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

/** Encoders, and encoders with a decoder. */
export const ENCODER_FAMILIES: Families = {
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
