import { EMBEDDINGS, jsonPost, positions, RAW } from './harness/bodies.mjs'
import { callAll } from './harness/calls.mjs'

// Every position scheme at its widest: the first block alone may be dear. Left after the first megabyte.

const WIDE = 65_536
const LONG = { context_length: 1_000_000 }
const one = (type, options, outputs, query) => positions(type, options, { outputs, ...query })

export const name = 'schemes'
export const about = 'every position scheme at its widest, ten at once each, left after 1 MB'
export const variants = {
  sinusoidal: one('sinusoidal', {}, 'position_embeddings', LONG),
  rope: one('rope', { head_dim: WIDE }, 'cos', LONG),
  'rope, frequencies': one('rope', { head_dim: WIDE, precision: 'float64' }, 'inv_freq', LONG),
  'rope, yarn': one(
    'rope',
    {
      head_dim: WIDE,
      'scaling.type': 'yarn',
      'scaling.factor': 4,
      'scaling.original_max_position_embeddings': 4096,
    },
    'sin',
    LONG,
  ),
  alibi: one('alibi', { num_heads: WIDE }, 'position_bias', LONG),
  'alibi, slopes': one('alibi', { num_heads: WIDE }, 'alibi_slopes', LONG),
  't5, buckets': one(
    't5',
    { num_heads: 16, num_buckets: 2 ** 20, max_distance: 1e6 },
    'relative_position_bucket',
    LONG,
  ),
  shaw: one('shaw', { head_dim: 8192, max_relative_position: 500 }, 'relative_key_embeddings', LONG),
  transformer_xl: one('transformer_xl', {}, 'relative_position_embeddings', LONG),
  deberta: one('deberta', { version: 1, max_relative_positions: 32_768 }, 'relative_embeddings', LONG),
  'deberta, distances': one('deberta', {}, 'c2p_index', LONG),
  'windows of a wide batch': {
    ...jsonPost(
      EMBEDDINGS,
      '{"input_ids":[1],"context_length":1000000,"tail":"pad","position_embedding":"sinusoidal"}',
    ),
  },
}
export const quick = ['rope, frequencies', 'alibi, slopes']
const AT_ONCE = 10

export async function send(service, request) {
  const headers = { ...request.headers, ...RAW }
  return { answers: await callAll(service.port, AT_ONCE, () => ({ ...request, headers, leaveAfter: 1e6 })) }
}

export function expect({ answers }, must) {
  must.answeredOrRefused(answers)
}
