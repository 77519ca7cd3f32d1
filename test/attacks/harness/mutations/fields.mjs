// Bodies and queries from a grammar of the service's own fields: mostly right, with one or two things at an edge.

const EDGES = [
  0,
  1,
  -1,
  2,
  4,
  1.5,
  -0,
  1e308,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53),
  '',
  'a',
  '4',
  '\ud800',
  '🌊',
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  '__proto__',
  'all',
  'default',
]
const TYPES = [
  'none',
  'learned_absolute',
  'sinusoidal',
  'rope',
  'alibi',
  't5',
  'shaw',
  'transformer_xl',
  'deberta',
]
const OPTIONS = [
  'head_dim',
  'rotary_dim',
  'rope_theta',
  'layout',
  'precision',
  'scaling',
  'num_heads',
  'form',
  'key_length',
  'num_buckets',
  'max_distance',
  'bidirectional',
  'seed',
  'max_relative_position',
  'memory_length',
  'clamp_length',
  'version',
  'position_buckets',
  'max_relative_positions',
  'base',
  'variant',
  'other',
]
const OUTPUTS = [
  'input_embeddings',
  'token_embeddings',
  'position_embeddings',
  'input_ids',
  'target_ids',
  'attention_mask',
  'position_ids',
  'document_ids',
  'window_starts',
  'cos',
  'sin',
  'inv_freq',
  'position_bias',
  'nothing',
]
const ARCHITECTURES = ['gpt2', 'bert', 'llama', 'transformer', 'deberta', 'bloom', 'gemma', 't5', 'no']
const ENCODINGS = ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base', 'klingon']
const LETTERS = [
  'a',
  ' ',
  'The ',
  '\n',
  'é',
  '漢',
  '🌊',
  '<|endoftext|>',
  '\u0000',
  '\ufeff',
  '0',
  'क',
  '\ud800',
  '\\',
]

const text = ({ upTo, one }) => Array.from({ length: upTo(12) }, () => one(LETTERS)).join('')
const list = (draw, most, element) => Array.from({ length: draw.upTo(most + 1) }, () => element(draw))
const id = ({ upTo, chance }) => (chance(0.95) ? upTo(50_257) : upTo(60_000))

function scheme(draw) {
  const { one, upTo, chance } = draw
  if (chance(0.4)) return one(TYPES)
  const value = { type: one(TYPES) }
  for (let i = upTo(3); i > 0; i--) {
    const option = one(OPTIONS)
    value[option] =
      option === 'scaling' ? { type: one(['linear', 'yarn', 'dynamic', 'llama3']), factor: 2 } : upTo(130)
  }
  return value
}

const FIELDS = {
  text: (draw) => (draw.chance(0.6) ? text(draw) : list(draw, 4, text)),
  input_ids: (draw) =>
    draw.chance(0.6) ? list(draw, 40, id) : list(draw, 4, (inner) => list(inner, 10, id)),
  token_type_ids: (draw) => list(draw, 5, ({ upTo }) => upTo(3)),
  model: () => 'default',
  context_length: ({ upTo }) => 1 + upTo(40),
  stride: ({ upTo }) => 1 + upTo(40),
  tail: ({ one }) => one(['drop', 'pad']),
  pad_token_id: id,
  batch_size: ({ upTo }) => 1 + upTo(20),
  batch_index: ({ upTo }) => upTo(4),
  shuffle: ({ chance }) => chance(0.5),
  seed: ({ upTo, chance }) => (chance(0.5) ? upTo(2 ** 31) : String(BigInt(upTo(2 ** 31)) ** 2n)),
  epoch: ({ upTo }) => upTo(5),
  drop_last: ({ chance }) => chance(0.5),
  position_embedding: scheme,
  architecture: ({ one }) => one(ARCHITECTURES),
  position_offset: ({ upTo }) => upTo(1100),
  outputs: (draw) => list(draw, 4, ({ one }) => one(OUTPUTS)),
  dtype: ({ one }) => one(['float32', 'float16', 'bfloat16']),
  encoding_format: ({ one }) => one(['float', 'base64']),
  allowed_special: ({ one }) => one(['all', [], ['<|endoftext|>'], ['<|no|>']]),
}
const NAMES = Object.keys(FIELDS)
const TOKEN_FIELDS = {
  text,
  input_ids: (draw) => list(draw, 30, id),
  encoding: ({ one }) => one(ENCODINGS),
  model: () => 'default',
  allowed_special: FIELDS.allowed_special,
  count_only: ({ chance }) => chance(0.5),
}

const orEdge = (draw, value) => (draw.chance(0.06) ? draw.one(EDGES) : value)

function fieldsOf(draw, fields, always, most) {
  const body = { [always]: orEdge(draw, fields[always](draw)) }
  const names = Object.keys(fields)
  for (let i = draw.upTo(most); i > 0; i--) {
    const name = draw.one(names)
    if (name !== 'text' && name !== 'input_ids') body[name] = orEdge(draw, fields[name](draw))
  }
  if (draw.chance(0.02)) body[draw.one(['other', '__proto__', 'constructor', ''])] = draw.one(EDGES)
  return body
}

/** A body of /v1/input-embeddings, /v1/tokenize or /v1/detokenize, with its path. */
export function jsonRequestOf(draw) {
  const always = draw.chance(0.5) ? 'text' : 'input_ids'
  if (draw.chance(0.25)) {
    const path = always === 'text' ? '/v1/tokenize' : '/v1/detokenize'
    return { path, body: jsonText(fieldsOf(draw, TOKEN_FIELDS, always, 3)) }
  }
  return { path: '/v1/input-embeddings', body: jsonText(fieldsOf(draw, FIELDS, always, 6)) }
}

/** JSON as others write it: blanks, escapes, numbers with an exponent. */
function jsonText(value) {
  return JSON.stringify(value).replaceAll('5e', '5.0e')
}

/** The query of a raw text, or of a GET of position embeddings. */
export function queryOf(draw) {
  const parts = []
  for (let i = draw.upTo(6); i > 0; i--) {
    const name = draw.one(NAMES)
    const value = orEdge(draw, FIELDS[name](draw))
    if (name === 'position_embedding' && typeof value === 'object' && value !== null) {
      for (const [option, given] of Object.entries(value)) {
        parts.push([option === 'type' ? name : `${name}.${option}`, given])
      }
    } else parts.push([name, value])
  }
  return parts.map(([name, value]) => `${name}=${encodeURIComponent(queryText(value))}`).join('&')
}

function queryText(value) {
  const said = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return (Array.isArray(value) ? value.join(',') : said).toWellFormed()
}
