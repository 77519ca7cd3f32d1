import { gzipSync } from 'node:zlib'
import { SCHEME_OPTIONS } from './input-embeddings.mjs'
import { get, post } from './request.mjs'
import { prose } from './texts.mjs'

const PATH = '/v2/models/default/infer'
const OUTPUTS = [
  'input_embeddings',
  'token_embeddings',
  'input_ids',
  'attention_mask',
  'target_ids',
  'position_ids',
  'document_ids',
  'window_starts',
  'position_embeddings',
  'nothing',
]

/** A request with binary inputs: its JSON, then the tensors' bytes. */
function binary(path, fields, tensors, headers = {}) {
  const json = Buffer.from(JSON.stringify(fields))
  return {
    method: 'POST',
    path,
    headers: {
      'inference-header-content-length': json.length,
      'content-type': 'application/octet-stream',
      ...headers,
    },
    body: Buffer.concat([json, ...tensors]),
  }
}

/** Texts as the binary extension has them, each behind its length. */
function packedTexts(texts) {
  return Buffer.concat(
    texts.flatMap((each) => {
      const bytes = Buffer.from(each)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(bytes.length)
      return [length, bytes]
    }),
  )
}

const int64 = (values) => Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer)
const int32 = (values) => Buffer.from(Int32Array.from(values).buffer)

export function* inferences(draw, count) {
  for (const { type, ...options } of SCHEME_OPTIONS) {
    const parameters = {
      context_length: 4,
      'position_embedding.type': type,
      ...flat('position_embedding', options),
    }
    yield post(PATH, {
      inputs: [{ name: 'text', shape: [1], datatype: 'BYTES', data: ['Hello, world! One two three.'] }],
      parameters,
    })
  }
  for (let i = 0; i < count; i++) yield drawn(draw)
  const text = { name: 'text', shape: [1], datatype: 'BYTES' }
  const good = { inputs: [{ ...text, data: ['Hello world'] }] }
  const data = (more) => post(PATH, { ...good, ...more })
  yield data({ id: 'a1' })
  yield data({ id: 7 })
  yield data({ id: '' })
  yield data({ colour: 1 })
  yield data({ outputs: [] })
  yield data({ outputs: [{ name: 'input_ids' }, { name: 'input_ids' }] })
  yield data({ outputs: [{ name: 'input_ids', parameters: { classification: 2 } }] })
  yield data({ outputs: [{ name: 'input_ids', parameters: { shared_memory_region: 'a' } }] })
  yield data({ outputs: 'input_ids' })
  for (const parameters of [
    { dtype: 'float16' },
    { dtype: 'float16', binary_data_output: true },
    { dtype: 'bfloat16', binary_data_output: true },
    { timeout: 1_000_000 },
    { timeout: -1 },
    { timeout: 'x' },
    { sequence_id: 1 },
    { sequence_start: true },
    { priority: 1 },
    { triton_x: 1 },
    { headers: 'x' },
    { context_length: '2' },
    { context_length: 'two' },
    { context_length: 2, stride: 1, tail: 'pad' },
    { seed: '18446744073709551615', shuffle: true, batch_size: 1, context_length: 1 },
    { allowed_special: 'all' },
    { allowed_special: '<|endoftext|>' },
    { model: 'tiny' },
    { outputs: 'input_ids' },
    { dimensions: 4 },
    { binary_data_output: 'yes' },
    { position_embedding: 'rope' },
    { position_embedding: '{"type":"rope","head_dim":8}' },
    { architecture: 'bert' },
    { context_length: null },
    { context_length: [1] },
    [],
    7,
  ]) {
    yield data({ parameters })
  }
  const inputs = [
    [],
    7,
    [{ name: 'text' }],
    [{ ...text }],
    [{ ...text, data: [] }],
    [{ ...text, data: [7] }],
    [{ ...text, data: ['a', 'b'] }],
    [{ ...text, shape: [2], data: ['a', 'b'] }],
    [{ ...text, shape: [2, 1], data: [['a'], ['b']] }],
    [{ ...text, shape: [0], data: [] }],
    [{ ...text, shape: [-1], data: ['a'] }],
    [{ ...text, shape: 'x', data: ['a'] }],
    [{ ...text, datatype: 'FP32', data: [1] }],
    [{ ...text, datatype: 'STRING', data: ['a'] }],
    [{ ...text, data: [''] }],
    [
      { ...text, data: ['a'] },
      { ...text, data: ['b'] },
    ],
    [{ name: 'colour', shape: [1], datatype: 'BYTES', data: ['a'] }],
    [{ ...text, data: ['a'], parameters: { binary_data_size: 5 } }],
    [{ ...text, parameters: { shared_memory_region: 'a' } }],
    [{ ...text, data: ['a'], colour: 1 }],
    [{ name: 'input_ids', shape: [3], datatype: 'INT64', data: [1, 2, 3] }],
    [{ name: 'input_ids', shape: [3], datatype: 'INT32', data: [1, 2, 3] }],
    [{ name: 'input_ids', shape: [1, 3], datatype: 'INT64', data: [1, 2, 3] }],
    [{ name: 'input_ids', shape: [3, 1], datatype: 'INT64', data: [[1], [2], [3]] }],
    [{ name: 'input_ids', shape: [2, 2], datatype: 'INT64', data: [[1], [2, 3, 4]] }],
    [{ name: 'input_ids', shape: [1, 1, 3], datatype: 'INT64', data: [1, 2, 3] }],
    [{ name: 'input_ids', shape: [2], datatype: 'INT64', data: [1, 2, 3] }],
    [{ name: 'input_ids', shape: [2], datatype: 'INT64', data: [1, -2] }],
    [{ name: 'input_ids', shape: [2], datatype: 'INT64', data: [1, 1e12] }],
    [{ name: 'input_ids', shape: [2], datatype: 'INT64', data: [1, '2'] }],
    [{ name: 'input_ids', shape: [1], datatype: 'INT8', data: [1] }],
    [
      { name: 'input_ids', shape: [2, 2], datatype: 'INT64', data: [1, 2, 3, 4] },
      { name: 'attention_mask', shape: [2, 2], datatype: 'INT64', data: [1, 1, 1, 0] },
    ],
    [
      { name: 'input_ids', shape: [2, 2], datatype: 'INT64', data: [1, 2, 3, 4] },
      { name: 'attention_mask', shape: [2, 2], datatype: 'INT64', data: [1, 1, 0, 1] },
    ],
    [
      { name: 'input_ids', shape: [2], datatype: 'INT64', data: [1, 2] },
      { name: 'attention_mask', shape: [3], datatype: 'INT64', data: [1, 1, 0] },
    ],
    [
      { name: 'input_ids', shape: [2], datatype: 'INT64', data: [1, 2] },
      { name: 'token_type_ids', shape: [2], datatype: 'INT64', data: [0, 1] },
    ],
    [{ name: 'attention_mask', shape: [2], datatype: 'INT64', data: [1, 1] }],
    [
      { ...text, data: ['a'] },
      { name: 'input_ids', shape: [1], datatype: 'INT64', data: [1] },
    ],
  ]
  for (const each of inputs) yield post(PATH, { inputs: each })
  yield* binaries()
  for (const body of ['', '{', '[]', '{"inputs":', 'null']) yield post(PATH, body)
}

function flat(prefix, fields) {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'object'
        ? Object.entries(flat(`${prefix}.${name}`, value))
        : [[`${prefix}.${name}`, value]],
    ),
  )
}

function drawn(draw) {
  const { one, upTo, chance } = draw
  const texts = Array.from({ length: 1 + upTo(3) }, () => prose(draw, 1 + upTo(15)))
  const names = [...new Set(Array.from({ length: 1 + upTo(4) }, () => one(OUTPUTS)))]
  const outputs = names.map((name) => ({
    name,
    ...(chance(0.5) && { parameters: { binary_data: chance(0.7) } }),
  }))
  const parameters = {
    ...(chance(0.5) && { context_length: 1 + upTo(8) }),
    ...(chance(0.3) && { tail: 'pad' }),
    ...(chance(0.4) && { dtype: one(['float32', 'float16', 'bfloat16']) }),
    ...(chance(0.5) && { binary_data_output: chance(0.7) }),
  }
  const packing = chance(0.3)
    ? { 'accept-encoding': one(['gzip', 'deflate', 'br', 'gzip, deflate', 'identity']) }
    : {}
  if (chance(0.5)) {
    const bytes = packedTexts(texts)
    const inputs = [
      {
        name: 'text',
        shape: [texts.length],
        datatype: 'BYTES',
        parameters: { binary_data_size: bytes.length },
      },
    ]
    return binary(PATH, { inputs, outputs, parameters }, [bytes], packing)
  }
  return post(
    PATH,
    {
      id: String(upTo(99)),
      inputs: [{ name: 'text', shape: [texts.length], datatype: 'BYTES', data: texts }],
      outputs,
      parameters,
    },
    packing,
  )
}

function* binaries() {
  const ids = { name: 'input_ids', shape: [2, 3], datatype: 'INT64', parameters: { binary_data_size: 48 } }
  const mask = { ...ids, name: 'attention_mask' }
  const values = int64([1, 2, 3, 4, 5, 6])
  yield binary(PATH, { inputs: [ids] }, [values])
  yield binary(PATH, { inputs: [ids, mask] }, [values, int64([1, 1, 1, 1, 0, 0])])
  yield binary(PATH, { inputs: [{ ...ids, datatype: 'INT32', parameters: { binary_data_size: 24 } }] }, [
    int32([1, 2, 3, 4, 5, 6]),
  ])
  yield binary(PATH, { inputs: [ids] }, [values.subarray(1)])
  yield binary(PATH, { inputs: [ids] }, [values, Buffer.from('x')])
  yield binary(PATH, { inputs: [ids] }, [int64([1, 2, 3, 4, 5, -6])])
  yield binary(PATH, { inputs: [ids] }, [int64([1, 2, 3, 4, 5, 2 ** 40])])
  yield binary(PATH, { inputs: [{ ...ids, parameters: { binary_data_size: 40 } }] }, [values])
  yield binary(PATH, { inputs: [{ ...ids, parameters: { binary_data_size: -1 } }] }, [values])
  yield binary(PATH, { inputs: [{ ...ids, data: [1] }] }, [values])
  const bytes = packedTexts(['Hello', 'wörld'])
  const texts = {
    name: 'text',
    shape: [2],
    datatype: 'BYTES',
    parameters: { binary_data_size: bytes.length },
  }
  yield binary(PATH, { inputs: [texts] }, [bytes])
  yield binary(PATH, { inputs: [texts] }, [bytes], { 'inference-header-content-length': 'x' })
  yield binary(PATH, { inputs: [texts] }, [bytes], { 'inference-header-content-length': '99999' })
  yield binary(PATH, { inputs: [texts] }, [bytes], { 'inference-header-content-length': '5' })
  yield binary(PATH, { inputs: [texts] }, [bytes], { 'inference-header-content-length': '-1' })
  yield binary(PATH, { inputs: [{ ...texts, shape: [3] }] }, [bytes])
  yield binary(PATH, { inputs: [texts] }, [Buffer.from(bytes).fill(0xff, 4, 6)])
  yield binary(PATH, { inputs: [texts] }, [Buffer.from(bytes).fill(0xff, 0, 4)])
  const packed = gzipSync(Buffer.concat([Buffer.from(JSON.stringify({ inputs: [texts] })), bytes]))
  const length = JSON.stringify({ inputs: [texts] }).length
  const headers = { 'content-encoding': 'gzip', 'inference-header-content-length': length }
  yield { method: 'POST', path: PATH, headers, body: packed }
  for (const path of [
    '/v2/models/default/infer',
    '/v2/models/default/versions/1/infer',
    '/v2/models/default/versions/9/infer',
    '/v2/models/absent/infer',
    '/v2/models/tokenizer-wordpiece-cased/infer',
  ]) {
    yield {
      method: 'POST',
      path,
      headers: { 'inference-header-content-length': 0 },
      body: 'A whole text, as it is.',
    }
    yield {
      method: 'POST',
      path,
      body: '{"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":["Hello"]}]}',
    }
  }
}

export function* metadata() {
  for (const model of ['default', 'tiny', 'broken-shape', 'broken-type', 'absent', 'llama']) {
    for (const suffix of [
      '',
      '/config',
      '/ready',
      '/versions/1',
      '/versions/1/ready',
      '/versions/1/config',
      '/versions/7',
      '/versions/x',
      '/versions/0/ready',
    ]) {
      yield get(`/v2/models/${model}${suffix}`)
      yield get(`/v2/models/${model}${suffix}`, {}, 'HEAD')
    }
  }
  for (const path of ['/v2', '/v2/', '/v2/models', '/v2/health/live', '/v2/health/ready']) yield get(path)
  for (const path of [
    '/v2/trace/setting',
    '/v2/logging',
    '/v2/models/stats',
    '/v2/models/default/stats',
    '/v2/repository/index',
    '/v2/repository/models/default/load',
    '/v2/models/default/trace/setting',
    '/v2/systemsharedmemory/region/a/register',
    '/v2/cudasharedmemory/unregister',
  ]) {
    yield post(path, {})
    yield get(path)
  }
}
