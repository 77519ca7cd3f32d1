// The dearest requests of each scheme and route, as bytes of HTTP/1.1.

const HUGE = 2 ** 31 - 1

function get(type, options, outputs, contextLength) {
  const query = new URLSearchParams({ position_embedding: type, context_length: contextLength, outputs })
  for (const [name, value] of Object.entries(options)) query.set(`position_embedding.${name}`, value)
  return head(`GET /v1/models/default/position-embeddings?${query}`)
}

function post(path, type, body) {
  return `${head(`POST ${path}`, `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`)}${body}`
}

function head(start, more = '') {
  return `${start} HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\n${more}\r\n`
}

const EMBED = '/v1/input-embeddings'
const json = (body) => post(EMBED, 'application/json', JSON.stringify(body))
const text = (query, body) => post(`${EMBED}?${query}`, 'text/plain', body)

const yarn = {
  head_dim: 65_536,
  'scaling.type': 'yarn',
  'scaling.factor': 8,
  'scaling.original_max_position_embeddings': 8192,
}
const wideT5 = { num_heads: 16, num_buckets: 1_048_576, max_distance: HUGE }

/** What is sent at once, how often, and how much of each answer is taken. */
export const REQUESTS = {
  sinusoidal: { request: () => get('sinusoidal', {}, 'position_embeddings', 8_000_000) },
  rope: { request: () => get('rope', { head_dim: 65_536 }, 'cos', 60_000) },
  'rope under yarn': { request: () => get('rope', yarn, 'sin', 60_000) },
  'alibi, slopes': { request: () => get('alibi', { num_heads: 65_536 }, 'alibi_slopes', 1) },
  'alibi, bias': { request: () => get('alibi', { num_heads: 1, key_length: HUGE }, 'position_bias', 1) },
  't5, buckets': { request: () => get('t5', { key_length: HUGE }, 'relative_position_bucket', 1) },
  't5, tables of 64 MiB': {
    request: (i) => get('t5', { ...wideT5, seed: i }, 'position_bias', 4),
    count: 20,
  },
  shaw: {
    request: () =>
      get('shaw', { max_relative_position: 4_000_000, head_dim: 1 }, 'relative_key_embeddings', 10_000),
  },
  transformer_xl: { request: () => get('transformer_xl', {}, 'relative_position_embeddings', 8_000_000) },
  deberta: { request: () => get('deberta', {}, 'c2p_index', 40_000) },
  'rope, 200 at once': { request: () => get('rope', { head_dim: 65_536 }, 'cos', 2), count: 200 },
  'rows under bert': {
    request: () =>
      json({ input_ids: [1], context_length: 1000, tail: 'pad', architecture: 'bert', dtype: 'float16' }),
  },
  '65,536 documents in windows of one': {
    request: () =>
      json({
        input_ids: Array(65_536).fill([1, 2]),
        context_length: 1,
        outputs: ['target_ids'],
        shuffle: true,
        seed: 5,
      }),
  },
  'a shuffle of 8 M windows': {
    request: () =>
      text('context_length=1&shuffle=true&seed=1&outputs=window_starts', 'a b c d '.repeat(2_000_000)),
  },
  '4 MB of one dash': { request: () => text('outputs=document_ids', '-'.repeat(4_000_000)) },
}
