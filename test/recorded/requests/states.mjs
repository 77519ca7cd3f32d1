import { gzipSync } from 'node:zlib'
import { tables } from '../models-folder.mjs'
import { accept, FORMATS, get, post, put, text } from './request.mjs'

const ADMIN = { authorization: 'Bearer admin-key' }

/** Requests at limits that the configuration sets low. */
export function* limited() {
  const path = '/v1/input-embeddings'
  for (const size of [900, 980, 1000, 1001, 1100, 5000]) {
    const body = JSON.stringify({ text: 'a'.repeat(size) })
    yield post(path, body)
    yield post('/v1/tokenize', body)
    yield post(path, gzipSync(body), { 'content-encoding': 'gzip' })
    yield {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      chunks: [body.slice(0, 500), body.slice(500)],
    }
  }
  for (const size of [1999, 2000, 2001, 9000]) {
    yield text(`${path}?outputs=input_ids`, 'a b '.repeat(size).slice(0, size))
    yield text(`${path}?outputs=input_ids`, gzipSync('a b '.repeat(size).slice(0, size)), {
      'content-encoding': 'gzip',
    })
    yield {
      method: 'POST',
      path: '/v2/models/default/infer',
      headers: { 'inference-header-content-length': 0 },
      body: 'x'.repeat(size),
    }
  }
  for (const words of [10, 60, 100, 150, 400]) {
    for (const format of FORMATS) yield text(path, 'word '.repeat(words), accept(format))
    yield text(`${path}?encoding_format=base64`, 'word '.repeat(words))
    yield post('/v1/tokenize', { text: 'a b '.repeat(words / 2) })
  }
  for (const count of [4, 5, 6]) {
    yield post(path, { text: Array.from({ length: count }, () => 'a') })
    yield post(path, { input_ids: Array.from({ length: count }, () => [1]) })
    yield post('/v1/prompt-embeds', { model: 'llama', input_ids: Array.from({ length: count }, () => [1]) })
    yield post('/v1/embeddings', { model: 'static-words', input: Array.from({ length: count }, () => 'a') })
  }
  yield post(path, {
    input_ids: [1],
    position_embedding: { type: 't5', num_buckets: 100000, num_heads: 160, max_distance: 60000 },
  })
  yield post(path, {
    input_ids: [1],
    position_embedding: { type: 'shaw', max_relative_position: 60000, head_dim: 200 },
  })
  yield get('/v1/models/default/position-embeddings?position_embedding=alibi&context_length=300')
  yield get(
    '/v1/models/default/position-embeddings?position_embedding=rope&context_length=3000',
    accept(FORMATS[1]),
  )
  for (const model of [
    'gpt2',
    'llama',
    'bart',
    'albert',
    'falcon',
    'bert',
    'bloom',
    'opt',
    't5',
    'xlnet',
    'gemma',
    'phi',
  ]) {
    yield post(path, { model, input_ids: [1] }, accept(FORMATS[1]))
  }
  yield put('/v1/models/large', { vocab_size: 2_000_000, embedding_dim: 4 }, ADMIN)
  const file = tables({ 'wte.weight': [600_000, 2], 'wpe.weight': [4, 2] })
  yield {
    method: 'PUT',
    path: '/v1/models/file',
    headers: { ...ADMIN, 'content-type': 'application/vnd.safetensors' },
    body: file,
  }
  yield get('/v1/models/gpt2')
  yield get('/v1/models/bert')
}

export function* neighbors() {
  const path = '/v1/models/default/neighbors'
  for (const metric of ['cosine', 'dot', 'euclidean']) {
    yield post(path, { text: 'cat', k: 3, metric })
    yield post(path, { text: ['cat', 'a dog'], metric })
    yield post(path, { input_ids: [7, 8], k: 5, metric })
    yield post(path, { input_ids: [[7], [8, 9]], k: 2, metric, table: 'position' })
    yield post(path, { vector: [1, 2, 3, 4, 5, 6, 7, 8], metric, k: 2 })
    yield post(path, {
      vector: [
        [1, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
      ],
      metric,
      k: 2,
    })
    for (const model of ['llama', 'gpt2', 'gemma-bf16', 'llama-f16-sharded', 't5', 'tiny']) {
      yield post(`/v1/models/${model}/neighbors`, { input_ids: [1, 2], metric, k: 4 })
    }
  }
  yield post(path, { vector: [1, 2] })
  yield post(path, { vector: [1e39, 0, 0, 0, 0, 0, 0, 0] })
  yield post(path, { input_ids: [99999] })
  yield post(path, { input_ids: [99999], table: 'position' })
  yield post(path, { text: 'a', table: 'position' })
  yield post(path, { text: 'a', input_ids: [1] })
  yield post(path, { input_ids: Array.from({ length: 65 }, () => [1]) })
  yield post(path, { text: '' })
  yield post('/v1/models/absent/neighbors', { text: 'a' })
  yield post('/v1/models/broken-shape/neighbors', { text: 'a' })
}

/** Requests while the tables are drawn, which takes seconds. */
export function* loading() {
  yield get('/health/ready')
  yield get('/v2/health/ready')
  yield post('/v1/input-embeddings', { text: 'a' })
  yield post('/v1/embeddings', { input: 'a' })
  yield get('/v1/models/default')
  yield get('/v2/models/default/ready')
  yield post('/v2/models/default/infer', {
    inputs: [{ name: 'text', shape: [1], datatype: 'BYTES', data: ['a'] }],
  })
}

/** Requests after SIGTERM, within the time in which new ones are still taken. */
export function* stopping() {
  yield get('/health/ready')
  yield { ...get('/health/ready'), signal: 'SIGTERM' }
  yield get('/v2/health/ready')
  yield get('/health/live')
  yield post('/v1/tokenize', { text: 'Hello' })
  yield post('/v1/input-embeddings', { text: 'Hello' }, accept(FORMATS[1]))
}
