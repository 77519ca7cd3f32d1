import { EMBEDDINGS, jsonPost, positions, RAW } from './harness/bodies.mjs'
import { callAll } from './harness/calls.mjs'

// Every position scheme at its widest: the first block alone may be dear. Left after the first megabyte.

const WIDE = 65_536
/** Each is just below MAX_RESPONSE_BYTES, 8 GiB: [T, 32768], [40000, 40000], [65536, 1, 30001], … */
const ROWS = { context_length: 60_000 }
const SQUARE = { context_length: 40_000 }
const STEP = { context_length: 1, position_offset: 30_000 }
const one = (type, options, outputs, query) => positions(type, options, { outputs, ...query })

export const name = 'schemes'
export const about = 'every position scheme at its widest, ten at once each, left after 1 MB'
export const variants = {
  sinusoidal: one('sinusoidal', {}, 'position_embeddings', { context_length: 8_000_000 }),
  rope: one('rope', { head_dim: WIDE }, 'cos', ROWS),
  'rope, frequencies': one('rope', { head_dim: WIDE, precision: 'float64' }, 'inv_freq', ROWS),
  'rope, yarn': one(
    'rope',
    {
      head_dim: WIDE,
      'scaling.type': 'yarn',
      'scaling.factor': 4,
      'scaling.original_max_position_embeddings': 4096,
    },
    'sin',
    ROWS,
  ),
  alibi: one('alibi', { num_heads: WIDE }, 'position_bias', STEP),
  'alibi, slopes': one('alibi', { num_heads: WIDE }, 'alibi_slopes', STEP),
  't5, buckets': one('t5', {}, 'relative_position_bucket', SQUARE),
  't5, the widest table': one(
    't5',
    { num_heads: WIDE, num_buckets: 256, max_distance: 1000, bidirectional: false },
    'position_bias',
    STEP,
  ),
  shaw: one('shaw', { head_dim: 8192, max_relative_position: 500 }, 'relative_key_embeddings', {
    context_length: 1,
    position_offset: 200_000,
  }),
  transformer_xl: one('transformer_xl', {}, 'relative_position_embeddings', { context_length: 8_000_000 }),
  deberta: one('deberta', { version: 1, max_relative_positions: 32_768 }, 'relative_embeddings', SQUARE),
  'deberta, distances': one('deberta', {}, 'c2p_index', SQUARE),
  'windows of a wide batch': jsonPost(
    EMBEDDINGS,
    '{"input_ids":[1],"context_length":1000000,"tail":"pad","position_embedding":"sinusoidal"}',
  ),
}
const AT_ONCE = 10

export async function send(service, request) {
  const headers = { ...request.headers, ...RAW }
  return { answers: await callAll(service.port, AT_ONCE, () => ({ ...request, headers, leaveAfter: 1e6 })) }
}

export function expect({ answers }, must) {
  must.answeredOrRefused(answers)
}
