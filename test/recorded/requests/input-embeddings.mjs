import { readFileSync } from 'node:fs'
import { accept, FORMATS, get, post, query, text } from './request.mjs'
import { EDGES, prose } from './texts.mjs'

const PATH = '/v1/input-embeddings'

const document = JSON.parse(readFileSync(new URL('../../../dist/docs/openapi.json', import.meta.url)))
const SCHEMES = document.components.schemas.PositionEmbedding.anyOf[0].enum
export const ARCHITECTURES =
  'gpt2 transformer bert llama gpt_neox gemma t5 deberta deberta_v2 transformer_xl bloom'.split(' ')
export const OUTPUTS = [
  'input_embeddings',
  'token_embeddings',
  'inputs_embeds',
  'position_embeddings',
  'input_ids',
  'target_ids',
  'attention_mask',
  'position_ids',
  'document_ids',
  'window_starts',
]
/** The tensors that each scheme adds. */
const SCHEME_OUTPUTS = {
  rope: ['inv_freq', 'cos', 'sin'],
  alibi: ['alibi_slopes', 'position_bias'],
  t5: ['relative_position_bucket', 'position_bias'],
  shaw: ['relative_position_index'],
}
const DTYPES = ['float32', 'float16', 'bfloat16']

/** Each scheme, then options of some: a request for each. */
export const SCHEME_OPTIONS = [
  ...SCHEMES.map((type) => ({ type })),
  { type: 'sinusoidal', base: 500, layout: 'concatenated' },
  { type: 'sinusoidal', variant: 'tensor2tensor' },
  { type: 'sinusoidal', variant: 'tensor2tensor', layout: 'interleaved', precision: 'float32' },
  { type: 'sinusoidal', precision: 'float32' },
  { type: 'rope', head_dim: 8 },
  { type: 'rope', head_dim: 8, rotary_dim: 4, layout: 'interleaved' },
  { type: 'rope', head_dim: 16, rope_theta: 500000, precision: 'float64' },
  { type: 'rope', head_dim: 16, scaling: { type: 'linear', factor: 4 } },
  { type: 'rope', head_dim: 16, scaling: { type: 'dynamic', factor: 2, max_position_embeddings: 4 } },
  {
    type: 'rope',
    head_dim: 16,
    scaling: { type: 'dynamic', factor: 2, max_position_embeddings: 4, seq_len: 32 },
  },
  { type: 'rope', head_dim: 16, scaling: { type: 'yarn', factor: 4, original_max_position_embeddings: 16 } },
  {
    type: 'rope',
    head_dim: 16,
    scaling: {
      type: 'yarn',
      factor: 8,
      original_max_position_embeddings: 32,
      beta_fast: 16,
      beta_slow: 2,
      mscale: 0.7,
      mscale_all_dim: 1,
      truncate: false,
    },
  },
  {
    type: 'rope',
    head_dim: 16,
    scaling: {
      type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 64,
    },
  },
  { type: 'alibi', num_heads: 12, form: 'symmetric' },
  { type: 'alibi', num_heads: 6, form: 'key', key_length: 40 },
  { type: 't5', num_heads: 3, num_buckets: 16, max_distance: 32, bidirectional: false },
  { type: 't5', num_buckets: 8, max_distance: 20, key_length: 50, seed: 7 },
  { type: 'shaw', head_dim: 4, max_relative_position: 3 },
  { type: 'shaw', head_dim: 8, max_relative_position: 16, seed: '18446744073709551615' },
  { type: 'transformer_xl', num_heads: 2 },
  { type: 'transformer_xl', num_heads: 4, memory_length: 8, clamp_length: 5, seed: 3 },
  { type: 'deberta', version: 1, max_relative_positions: 8 },
  { type: 'deberta', version: 2, max_relative_positions: 16, position_buckets: 4, seed: 9 },
]

/** Requests that succeed or fail as their fields fit each other, drawn by a seed: all fields, formats and widths. */
export function* inputEmbeddings(draw, count, { vocab = 50_257 } = {}) {
  for (const scheme of SCHEME_OPTIONS) {
    for (const format of FORMATS.slice(0, 2)) {
      const body = { text: 'Hello, world! One two three.', context_length: 4, position_embedding: scheme }
      yield post(PATH, body, accept(format))
    }
    const { type, ...options } = scheme
    const fields = { context_length: 4, position_embedding: { type, ...options }, position_offset: 3 }
    yield text(`${PATH}?${query(fields)}`, 'Hello, world! One two three.', accept('application/octet-stream'))
  }
  for (const architecture of ARCHITECTURES) {
    for (const dtype of DTYPES) {
      yield post(PATH, { text: 'Hello, world! One two three.', architecture, dtype }, accept(FORMATS[1]))
    }
  }
  for (const edge of EDGES) {
    yield post(PATH, { text: edge, outputs: ['input_ids', 'attention_mask'] })
    yield text(`${PATH}?outputs=input_ids&allowed_special=all`, edge)
  }
  for (let i = 0; i < count; i++) yield drawn(draw, vocab)
}

/** One that is drawn. */
export function drawn(draw, vocab) {
  const { one, chance } = draw
  const fields = optionsOf(draw)
  const headers = accept(chance(0.8) ? one(FORMATS) : undefined)
  if (chance(0.3)) return text(`${PATH}?${query(fields)}`, prose(draw, 1 + draw.upTo(60)), headers)
  const body = { ...fields }
  if (chance(0.55)) {
    body.text = chance(0.5)
      ? prose(draw, 1 + draw.upTo(60))
      : list(draw, 1 + draw.upTo(6), () => prose(draw, 1 + draw.upTo(20)))
  } else {
    body.input_ids = ids(draw, vocab)
    if (chance(0.2)) body.token_type_ids = sameShape(body.input_ids, () => draw.upTo(2))
  }
  return post(PATH, body, headers)
}

export function optionsOf(draw) {
  const { one, chance, upTo } = draw
  const fields = {}
  if (chance(0.75)) {
    fields.context_length = 1 + upTo(12)
    if (chance(0.5)) fields.stride = 1 + upTo(12)
    if (chance(0.5)) fields.tail = one(['drop', 'pad'])
  }
  if (chance(0.15)) fields.pad_token_id = upTo(60)
  if (chance(0.4)) {
    fields.batch_size = 1 + upTo(5)
    if (chance(0.6)) fields.batch_index = upTo(4)
    if (chance(0.3)) fields.drop_last = true
  }
  if (chance(0.3)) {
    fields.shuffle = true
    if (chance(0.9)) fields.seed = one([1, 123, 0, '-9223372036854775808', 4294967296])
    if (chance(0.4)) fields.epoch = upTo(5)
  }
  if (chance(0.3)) fields.position_embedding = chance(0.3) ? one(SCHEMES) : one(SCHEME_OPTIONS)
  if (chance(0.3)) fields.architecture = one(ARCHITECTURES)
  if (chance(0.3)) fields.position_offset = one([0, 1, 7, 50, 5000])
  if (chance(0.6)) fields.outputs = outputsOf(draw, fields.position_embedding)
  if (chance(0.5)) fields.dtype = one(DTYPES)
  if (chance(0.3)) fields.encoding_format = one(['float', 'base64'])
  if (chance(0.2)) fields.allowed_special = one(['all', [], ['<|endoftext|>'], ['<|nothing|>']])
  if (chance(0.1)) fields.add_special_tokens = chance(0.5)
  return fields
}

function outputsOf(draw, scheme) {
  const own = SCHEME_OUTPUTS[scheme?.type ?? scheme] ?? []
  const names = [...OUTPUTS, ...own]
  return [...new Set(list(draw, 1 + draw.upTo(3), () => draw.one(names)))]
}

const list = (_draw, count, make) => Array.from({ length: count }, make)

function ids(draw, vocab) {
  const { chance, upTo } = draw
  const id = () => (chance(0.01) ? vocab + upTo(3) : upTo(vocab))
  const document = () => Array.from({ length: 1 + upTo(20) }, id)
  return chance(0.5) ? document() : Array.from({ length: 1 + upTo(5) }, document)
}

function sameShape(given, make) {
  return Array.isArray(given[0]) ? given.map((document) => document.map(make)) : given.map(make)
}

/** The tensors of a scheme alone. */
export function* positionEmbeddings(model = 'default') {
  const path = `/v1/models/${model}/position-embeddings`
  for (const scheme of SCHEME_OPTIONS) {
    const { type, ...options } = scheme
    const fields = { position_embedding: { type, ...options }, context_length: 5 }
    yield get(`${path}?${query(fields)}`)
    yield get(`${path}?${query({ ...fields, position_offset: 2, dtype: 'float16' })}`, accept(FORMATS[1]))
  }
  for (const type of SCHEMES) {
    yield get(`${path}?${query({ position_embedding: type })}`)
    yield get(`${path}?${query({ position_embedding: type, context_length: 3 })}`, accept(FORMATS[2]))
    yield get(`${path}?${query({ position_embedding: type, context_length: 3, encoding_format: 'base64' })}`)
    yield get(`${path}?${query({ position_embedding: type, context_length: 3 })}`, accept(FORMATS[4]))
    yield get(`${path}?${query({ position_embedding: type, context_length: 3, outputs: ['nothing'] })}`)
  }
  yield get(path)
  yield get(`${path}?context_length=0`)
  yield get(`${path}?context_length=70000&position_embedding=rope`, accept(FORMATS[3]), 'HEAD')
  yield get(`${path}?position_embedding=rotary&context_length=2`)
  yield get(`${path}?position_embedding.base=5&context_length=2`)
  yield get(`${path}?colour=red`)
}
