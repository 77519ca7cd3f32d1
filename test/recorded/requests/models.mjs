import { gzipSync } from 'node:zlib'
import { tables } from '../models-folder.mjs'
import { accept, FORMATS, get, post, put } from './request.mjs'

export const ADMIN = { authorization: 'Bearer admin-key' }
const FILE = { ...ADMIN, 'content-type': 'application/vnd.safetensors' }

const upload = (path, body, headers = {}) => ({ method: 'PUT', path, headers: { ...FILE, ...headers }, body })

/** Models made, read, exchanged, unloaded, loaded and deleted, in this order. */
export function* changes() {
  const card = { vocab_size: 60, embedding_dim: 4, max_position_embeddings: 16, seed: 7 }
  const use = (model) => post('/v1/input-embeddings', { model, input_ids: [1, 2, 3] }, accept(FORMATS[1]))
  yield put('/v1/models/made', card, ADMIN)
  yield put('/v1/models/made', card, ADMIN)
  yield put('/v1/models/made', { ...card, seed: 8 }, ADMIN)
  yield use('made')
  yield get('/v1/models/made')
  for (const wrong of [
    {},
    { ...card, vocab_size: 0 },
    { ...card, embedding_dim: 'x' },
    { ...card, encoding: 'absent' },
    { ...card, seed: '99999999999999999999' },
    { ...card, init_std: 0 },
    { ...card, architecture: 'absent' },
    { ...card, position_embedding: 'absent' },
    { ...card, position_embedding: { type: 'rope', head_dim: 3 } },
    { ...card, colour: 1 },
    { ...card, type_vocab_size: 0 },
    { ...card, vocab_size: 2147483647, embedding_dim: 1048576 },
    { ...card, vocab_size: 3000000, embedding_dim: 64 },
    '[',
    '[]',
  ]) {
    yield put('/v1/models/wrong', wrong, ADMIN)
  }
  for (const id of ['a%20b', '.a', 'x'.repeat(129), 'ü', 'tiny', 'default', 'stats'])
    yield put(`/v1/models/${id}`, card, ADMIN)
  for (const architecture of [
    'gpt2',
    'transformer',
    'bert',
    'llama',
    'gemma',
    't5',
    'deberta',
    'transformer_xl',
    'bloom',
  ]) {
    yield put(`/v1/models/made-${architecture}`, { ...card, architecture }, ADMIN)
    yield use(`made-${architecture}`)
    yield get(`/v1/models/made-${architecture}/tables`, ADMIN)
    yield { method: 'DELETE', path: `/v1/models/made-${architecture}`, headers: ADMIN }
  }
  yield* uploads(use)
  yield* exchanges(use)
  for (const model of [
    'made',
    'tiny',
    'llama',
    'mine',
    'static-words',
    'broken-shape',
    'absent',
    'default',
  ]) {
    for (const action of ['unload', 'unload', 'load', 'load']) {
      yield { method: 'POST', path: `/v1/models/${model}/${action}`, headers: ADMIN }
      yield get(`/v2/models/${model}/ready`)
    }
    yield use(model)
  }
  for (const model of ['made', 'mine', 'tiny', 'absent', 'default', 'made'])
    yield { method: 'DELETE', path: `/v1/models/${model}`, headers: ADMIN }
  yield get('/v1/models', ADMIN)
  yield get('/v2/models')
}

function* uploads(use) {
  const shapes = { 'wte.weight': [6, 3], 'wpe.weight': [4, 3] }
  yield upload('/v1/models/mine', tables(shapes))
  yield upload('/v1/models/mine', tables(shapes))
  yield use('mine')
  yield get('/v1/models/mine')
  yield upload('/v1/models/half', tables(shapes, { dtype: 'F16' }))
  yield use('half')
  yield upload(
    '/v1/models/brain',
    tables(shapes, { dtype: 'BF16', metadata: { encoding: 'gpt2', format: 'pt' } }),
  )
  yield use('brain')
  const metadata = [
    { architecture: 'llama' },
    { architecture: 'absent' },
    { colour: 'red' },
    { encoding: 'absent' },
    { position_embedding: 'rope' },
    { position_embedding: '{"type":"alibi","num_heads":3}' },
    { position_embedding: '{' },
  ]
  for (const [i, each] of metadata.entries())
    yield upload(`/v1/models/meta-${i}`, tables(shapes, { metadata: each }))
  const files = {
    empty: Buffer.alloc(0),
    short: Buffer.alloc(7),
    length: Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]),
    json: Buffer.concat([Buffer.from([4, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{a}}')]),
    missing: tables({ 'wpe.weight': [4, 3] }),
    extra: tables({ ...shapes, colour: [2] }),
    axes: tables({ 'wte.weight': [18], 'wpe.weight': [4, 3] }),
    width: tables({ 'wte.weight': [6, 3], 'wpe.weight': [4, 2] }),
    dtype: Buffer.from(tables(shapes).toString('latin1').replaceAll('F32', 'I32'), 'latin1'),
    mixed: Buffer.from(tables(shapes).toString('latin1').replace('F32', 'F64'), 'latin1'),
    cut: tables(shapes).subarray(0, -5),
    long: Buffer.concat([tables(shapes), Buffer.from('more')]),
  }
  for (const [name, file] of Object.entries(files)) yield upload(`/v1/models/file-${name}`, file)
  yield upload('/v1/models/packed', gzipSync(tables(shapes)), { 'content-encoding': 'gzip' })
  yield upload('/v1/models/packed-wrong', Buffer.from('nonsense'), { 'content-encoding': 'gzip' })
  const file = tables(shapes)
  yield {
    method: 'PUT',
    path: '/v1/models/chunked',
    headers: FILE,
    chunks: [file.subarray(0, 20), file.subarray(20, 90), file.subarray(90)],
  }
  yield {
    method: 'PUT',
    path: '/v1/models/typed',
    headers: { ...ADMIN, 'content-type': 'text/plain' },
    body: 'a',
  }
  yield { method: 'PUT', path: '/v1/models/untyped', headers: ADMIN, body: 'a' }
}

function* exchanges(use) {
  const path = '/v1/models/mine/tables'
  const shapes = { 'wte.weight': [6, 3], 'wpe.weight': [4, 3] }
  const tag = '"1-0000000000000000000000000000000000000000000000000000000000000000"'
  yield get(path, ADMIN)
  yield get(path, ADMIN, 'HEAD')
  yield get(path, { ...ADMIN, 'if-none-match': '*' })
  yield get(path, { ...ADMIN, 'if-none-match': tag })
  yield get(path, { ...ADMIN, 'if-none-match': 'nonsense' })
  yield get(path, { ...ADMIN, accept: 'application/json' })
  for (const match of ['*', tag, `W/${tag}`, 'nonsense', `${tag}, *`, ''])
    yield upload(path, tables(shapes), { 'if-match': match })
  yield upload(path, tables({ 'wpe.weight': [4, 3] }))
  yield use('mine')
  yield get('/v1/models/mine')
  yield get(path, ADMIN)
  for (const wrong of [{ 'wte.weight': [6, 4] }, { 'wte.weight': [7, 3] }, { colour: [1] }, {}])
    yield upload(path, tables(wrong))
  yield upload(path, tables(shapes, { dtype: 'F16' }))
  yield upload(path, tables(shapes, { metadata: { architecture: 'llama' } }))
  yield upload(path, tables(shapes).subarray(0, 100))
  yield upload(path, gzipSync(tables(shapes)), { 'content-encoding': 'gzip' })
  yield upload('/v1/models/absent/tables', tables(shapes))
  yield upload('/v1/models/static-words/tables', tables({ embeddings: [4, 4] }))
  yield upload('/v1/models/llama/tables', tables(shapes))
  yield get('/v1/models/llama/tables', ADMIN, 'HEAD')
  yield get('/v1/models/broken-shape/tables', ADMIN)
  yield use('mine')
}

/** Each route with each key: none, unknown, a user's, the admin's, a limited caller's. */
export function* roles() {
  const keys = [undefined, 'unknown', 'user-key', 'tiny-key', 'ops-key', 'admin-key', '']
  const calls = [
    get('/'),
    get('/health/live'),
    get('/metrics', {}, 'HEAD'),
    get('/docs'),
    get('/openapi.json', {}, 'HEAD'),
    get('/v1/models/tiny'),
    get('/v1/models/llama'),
    get('/v1/models/absent'),
    get('/v1/models', {}, 'HEAD'),
    get('/v2'),
    get('/v2/models'),
    get('/v2/models/llama'),
    get('/v2/models/stats', {}, 'HEAD'),
    get('/v2/models/tiny/ready'),
    get('/v2/health/ready'),
    get('/absent'),
    get('/v1/tokenize', {}, 'PATCH'),
    get('/v1/models/tiny/tables'),
    post('/v1/tokenize', { text: 'a b c' }),
    post('/v1/tokenize', { text: 'a b c', model: 'llama' }),
    post('/v1/input-embeddings', { model: 'tiny', input_ids: [1] }),
    post('/v1/input-embeddings', { model: 'llama', input_ids: [1] }),
    post('/v1/input-embeddings', '{'),
    post('/v1/models/tiny/neighbors', { input_ids: [1], k: 1 }),
    post('/v1/embeddings', { model: 'static-words', input: 'a' }),
    post('/v2/models/tiny/infer', {
      inputs: [{ name: 'input_ids', shape: [1], datatype: 'INT64', data: [1] }],
    }),
    post('/v2/repository/index', {}),
    post('/v2/repository/models/tiny/load', {}),
    post('/v1/models/tiny/load', {}),
    put('/v1/models/new', { vocab_size: 6, embedding_dim: 2 }),
    { method: 'DELETE', path: '/v1/models/new' },
  ]
  for (const call of calls) {
    for (const key of keys) {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
      yield { ...call, headers: { ...call.headers, ...headers } }
    }
  }
  for (const authorization of [
    'Bearer',
    'bearer user-key',
    'Basic dXNlcjprZXk=',
    'user-key',
    'Bearer  user-key',
    'Bearer user-key extra',
    'Bearer ü',
  ]) {
    yield post('/v1/tokenize', { text: 'a' }, { authorization })
  }
  yield post('/v1/tokenize', { text: 'a' }, { 'x-api-key': 'user-key' })
}
