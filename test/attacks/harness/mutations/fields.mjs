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
const OPTIONS = {
  none: [],
  learned_absolute: [],
  sinusoidal: ['base', 'variant', 'layout', 'precision'],
  rope: ['head_dim', 'rotary_dim', 'rope_theta', 'layout', 'precision', 'scaling'],
  alibi: ['num_heads', 'form', 'key_length'],
  t5: ['num_heads', 'num_buckets', 'max_distance', 'bidirectional', 'key_length', 'seed'],
  shaw: ['max_relative_position', 'head_dim', 'key_length', 'seed'],
  transformer_xl: ['num_heads', 'memory_length', 'clamp_length', 'seed'],
  deberta: ['version', 'max_relative_positions', 'position_buckets', 'seed'],
}
const TYPES = Object.keys(OPTIONS)
/** Options that are words; the others take a number. */
const WORDS = {
  variant: ['vaswani', 'tensor2tensor'],
  layout: ['interleaved', 'concatenated', 'half'],
  precision: ['float32', 'float64'],
  form: ['causal', 'symmetric', 'key'],
  bidirectional: [true, false],
  scaling: [
    { type: 'linear', factor: 2 },
    { type: 'dynamic', factor: 2, max_position_embeddings: 64 },
    { type: 'yarn', factor: 2, original_max_position_embeddings: 64 },
    { type: 'llama3', factor: 2 },
  ],
}
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
const LETTERS = ['a', ' ', 'The ', '\n', 'é', '漢', '🌊', '<|endoftext|>', '\u0000', '\ufeff', '0', 'क', '\\']

const text = ({ upTo, one, chance }) => {
  const letters = Array.from({ length: chance(0.02) ? 0 : 1 + upTo(12) }, () => one(LETTERS))
  return letters.join('') + (chance(0.02) ? '\ud800' : '')
}
const list = (draw, most, element) => Array.from({ length: draw.upTo(most + 1) }, () => element(draw))
const id = ({ upTo, chance }) => (chance(0.95) ? upTo(50_257) : upTo(60_000))

function scheme(draw) {
  const { one, upTo, chance } = draw
  if (chance(0.4)) return one(TYPES)
  const value = { type: one(TYPES) }
  const own = OPTIONS[value.type]
  for (let i = own.length === 0 ? 0 : upTo(3); i > 0; i--) {
    const option = chance(0.95) ? one(own) : 'other'
    value[option] = option in WORDS ? one(WORDS[option]) : upTo(130)
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

const orEdge = (draw, value) => (draw.chance(0.03) ? draw.one(EDGES) : value)

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
