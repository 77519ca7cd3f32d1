import {
  alike,
  encoder,
  type Families,
  type FamilyDefaults,
  IN_MULTIMODAL,
  narrow,
  pad,
  plain,
  scaled,
  sizes,
} from './family.js'
import { gemmaSteps } from './llama-families.js'
import { ctrlSines, disentangled, learned, rootIf, rope, statedRope, t5Bias } from './schemes.js'

const t5 = {
  reader: 'encoder_decoder',
  prefixes: ['', 'transformer.'],
  tokens: ['shared.weight', 'encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'],
  steps: plain,
  scheme: t5Bias,
  learned: {
    relative_attention_bias: ['encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight'],
  },
} as const
const bart = {
  reader: 'encoder_decoder',
  defaults: sizes(1024, 16, 1024, pad(1)),
  prefixes: ['model.', ''],
  tokens: ['shared.weight', 'encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'],
  untied: 'encoder.embed_tokens.weight',
  positions: 'encoder.embed_positions.weight',
  norm: 'encoder.layernorm_embedding',
  epsilon: 1e-5,
  steps: ['scale', 'positions', 'norm'],
  scale: rootIf('scale_embedding', false),
  embedSteps: 1,
  index: 'two_on',
  scheme: learned,
} as const
/** BART's, with positions from row 0 and no LayerNorm. */
const pegasus = { ...bart, steps: scaled, norm: undefined, index: 'plain', defaults: pad(0) } as const
/** The same, whose positions a checkpoint may leave out. */
const marian = {
  ...pegasus,
  tokens: ['shared.weight', 'encoder.embed_tokens.weight'],
  mayCompute: true,
  scheme: ctrlSines,
} as const
const scaledByDefault = { scale: rootIf('scale_embedding', true) } as const
const prophetnet = {
  ...bart,
  defaults: pad(0),
  prefixes: ['prophetnet.', ''],
  tokens: ['word_embeddings.weight', 'encoder.word_embeddings.weight'],
  untied: undefined,
  positions: 'encoder.position_embeddings.weight',
  norm: 'encoder.embeddings_layer_norm',
  steps: ['positions', 'norm'],
  embedSteps: 0,
  index: 'past_pad',
} as const
const t5gemma2 = {
  ...gemmaSteps,
  reader: 'encoder_decoder',
  defaults: pad(0),
  prefixes: ['model.encoder.', 'encoder.', 'model.encoder.text_model.', 'encoder.text_model.'],
  tokens: ['embed_tokens.weight'],
  textIn: 'encoder',
  steps: ['scale', 'row', 'positions'],
  embedSteps: 2,
  row: ['eoi_token_index', 256_000, 'embed_tokens.eoi_embedding'],
  scheme: statedRope(),
} as const
const bert = {
  reader: 'encoder',
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
const MAPPING = 'encoder.embedding_hidden_mapping_in'
/** BERT with tables that are narrower than its blocks. */
const narrowBert = (prefix: string, projection: string, defaults: FamilyDefaults) => ({
  ...bert,
  ...{ prefixes: [prefix, ''], projection, steps: narrow, defaults },
})
export const modernbert = {
  reader: 'encoder',
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

/** A decoder of captions with BERT's names. */
const git = { ...bert, reader: undefined, types: undefined } as const
const bigBird = {
  prefixes: ['bert.', ''],
  defaults: sizes(768, 12, 4096, pad(0)),
  steps: ['scale', ...encoder],
  scale: rootIf('rescale_embeddings', false),
} as const
const roformer = {
  prefixes: ['roformer.', ''],
  defaults: sizes(768, 12, 1536, pad(0)),
  positions: undefined,
  projection: 'embeddings_project',
  steps: ['types', 'positions', 'norm', 'project'],
  scheme: statedRope(),
} as const
const robertaXl = {
  norm: undefined,
  epsilon: undefined,
  steps: ['types', 'positions'],
  typeVocabSize: 1,
} as const

/** Encoders, and encoders with a decoder. */
export const ENCODER_FAMILIES: Families = {
  t5: { ...t5, defaults: sizes(512, 8, 0, pad(0)) },
  ...alike({ ...t5, defaults: sizes(512, 6, 0, pad(0)) }, 'mt5 umt5'),
  ...alike(bart, 'bart mbart mvp'),
  plbart: { ...bart, ...scaledByDefault },
  florence2: { ...bart, prefixes: IN_MULTIMODAL },
  blenderbot: pegasus,
  bigbird_pegasus: { ...pegasus, ...scaledByDefault },
  'blenderbot-small': { ...bart, index: 'plain', defaults: pad(0) },
  marian: { ...marian, defaults: pad(58_100) },
  pegasus: marian,
  prophetnet,
  t5gemma2,

  bert: { ...bert, prefixes: ['bert.', ''] },
  ...alike(roberta, 'roberta xlm-roberta camembert xmod'),
  'data2vec-text': { ...roberta, prefixes: ['data2vec_text.', ''] },
  'roberta-prelayernorm': { ...roberta, prefixes: ['roberta_prelayernorm.', ''] },
  'xlm-roberta-xl': { ...roberta, ...robertaXl },
  ernie: { ...bert, prefixes: ['ernie.', ''] },
  roc_bert: { ...bert, prefixes: ['roc_bert.', ''] },
  'megatron-bert': { ...bert, ...robertaXl, prefixes: ['bert.', ''], typeVocabSize: 2 },
  'bert-generation': { ...bert, prefixes: ['bert.', ''], types: undefined },
  big_bird: { ...bert, ...bigBird },
  rembert: narrowBert('rembert.', MAPPING, sizes(1152, 18, 512, pad(0))),
  roformer: { ...bert, ...roformer },
  git: { ...git, prefixes: ['git.', ''] },
  blip: { ...git, prefixes: ['text_decoder.bert.', 'text_model.', ''] },
  distilbert: { ...bert, prefixes: ['distilbert.', ''], types: undefined, epsilon: 1e-12 },
  electra: narrowBert('electra.', 'embeddings_project', sizes(256, 4, 512, pad(0))),
  albert: narrowBert('albert.', MAPPING, sizes(4096, 64, 512, pad(0))),
  mpnet: { ...bert, ...mpnet },
  deberta: { ...deberta, normRoundsParts: true, scheme: disentangled(1) },
  'deberta-v2': { ...deberta, scheme: disentangled(2), defaults: sizes(1536, 24, 512, pad(0)) },
  modernbert,
}
