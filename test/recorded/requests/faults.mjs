import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { get, post, text } from './request.mjs'

/** Values of every JSON type, at the edges of what fields allow. */
const VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e20,
  2 ** 53,
  '',
  'red',
  '7',
  [],
  [1],
  [-1],
  [[1], []],
  [[1], 2],
  ['a', 'b'],
  ['a', ''],
  [''],
  {},
  { type: 'red' },
  { type: 'rope', colour: 1 },
  { type: 'rope', head_dim: 7 },
]
/** For each route, a body that is served and the fields that it may have. */
const BODIES = {
  '/v1/input-embeddings': [
    { text: 'Hello world', context_length: 1 },
    'text input_ids token_type_ids model context_length stride tail pad_token_id batch_size batch_index shuffle seed epoch ' +
      'drop_last position_embedding architecture position_offset outputs dtype encoding_format allowed_special add_special_tokens colour',
  ],
  '/v1/tokenize': [
    { text: 'Hello' },
    'text model encoding allowed_special add_special_tokens count_only colour',
  ],
  '/v1/detokenize': [{ input_ids: [15496] }, 'input_ids model encoding colour'],
  '/v1/embeddings': [
    { input: 'a', model: 'static-words' },
    'input model dimensions encoding_format user colour',
  ],
  '/v1/prompt-embeds': [
    { text: 'a', model: 'tokenizer-llama3' },
    'text input_ids model target dtype allowed_special add_special_tokens colour',
  ],
  '/v1/models/tiny/neighbors': [
    { input_ids: [1] },
    'input_ids text vector allowed_special k metric table colour',
  ],
}

/** Each field of each JSON body with values that it does not take, and some that it does. */
export function* wrongFields() {
  for (const [path, [good, names]] of Object.entries(BODIES)) {
    yield post(path, good)
    yield post(path, {})
    for (const name of names.split(' ')) {
      for (const value of VALUES) yield post(path, { ...good, [name]: value })
    }
  }
}

/** The same in a query string. */
export function* wrongQueries() {
  const fields = BODIES['/v1/input-embeddings'][1].split(' ').slice(3)
  for (const name of fields) {
    for (const value of [
      '',
      '0',
      '-1',
      '1.5',
      '01',
      'red',
      'true',
      '1,2',
      '%ff',
      '1e3',
      '99999999999999999999',
    ]) {
      yield text(`/v1/input-embeddings?${name}=${value}`, 'Hello world')
    }
  }
  const more = [
    'context_length=2&context_length=3',
    'position_embedding=rope&position_embedding.head_dim=8',
    'position_embedding.type=rope&position_embedding.head_dim=8&position_embedding.scaling.type=linear&position_embedding.scaling.factor=2',
    'position_embedding.head_dim=8',
    'position_embedding.type=rope&position_embedding.scaling=linear',
    `position_embedding=${encodeURIComponent('{"type":"rope","head_dim":8}')}`,
    'text=a',
    'input_ids=1',
    '__proto__=1',
    'constructor=1',
    `${Array.from({ length: 257 }, (_, i) => `f${i}=1`).join('&')}`,
    `${'a.'.repeat(70)}b=1`,
    '&&&',
    '=',
    'a',
    '%',
    'outputs=input_ids,input_ids',
    'outputs=input_ids&outputs=attention_mask',
    'outputs=',
  ]
  for (const each of more) yield text(`/v1/input-embeddings?${each}`, 'Hello world')
}

const NESTED = (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Bodies that are no JSON, or JSON at its edges. */
const BROKEN = [
  '',
  ' ',
  '{',
  '}',
  '{"text":"a"',
  '{"text":"a",}',
  '{"text":"a"} x',
  "{'text':'a'}",
  '{text:"a"}',
  '{"text":"a\nb"}',
  '{"text":"\\x"}',
  '{"text":"\\u12"}',
  '{"text":"\\ud800"}',
  '{"text":"\\udc00\\ud800"}',
  '{"text":"\\ud83d\\ude00"}',
  '{"text":"\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t"}',
  '{"text":"a","text":"b"}',
  '{"text":"a","__proto__":{"text":"b"}}',
  '{"__proto__":null,"text":"a"}',
  '{"text":"a","constructor":1}',
  'null',
  'true',
  '7',
  '"a"',
  '[]',
  '[1,2]',
  '{"text":01}',
  '{"text":NaN}',
  '{"text":"a","context_length":1e0}',
  '{"text":"a","context_length":1.0}',
  '{"text":"a","context_length":-0}',
  '{"text":"a","seed":18446744073709551615,"shuffle":true,"batch_size":1,"context_length":1}',
  '{"text":"a","seed":1e400}',
  '{"input_ids":[1,2,3,]}',
  '{"input_ids":[1,,2]}',
  '{"input_ids":[1 2]}',
  '{"input_ids":[1,"2"]}',
  '{"input_ids":[1,2.0,3e0]}',
  '{"input_ids":[1,[2]]}',
  '{"input_ids":[[1],[2,[3]]]}',
  '{"input_ids":[[1],[]]}',
  '{"input_ids":[2147483648]}',
  '{"input_ids":[-1]}',
  '{"input_ids":[1e1]}',
  '{"text":["a",1]}',
  '{"text":["a","\\ud800"]}',
  '{"text":["a",["b"]]}',
  `{"text":${NESTED(63)}}`,
  `{"text":${NESTED(64)}}`,
  `{"text":${NESTED(65)}}`,
  NESTED(200),
  `{"text":"a",${Array.from({ length: 300 }, (_, i) => `"f${i}":1`).join(',')}}`,
  `{"outputs":[${Array.from({ length: 65 }, () => '"input_ids"').join(',')}],"text":"a"}`,
  `{"text":"a","colour":"${'x'.repeat(70_000)}"}`,
  `{"text":"${'word '.repeat(30_000)}","outputs":["window_starts"],"context_length":100}`,
  `{"text":"${'\\u00e9\\n'.repeat(12_000)}","outputs":["window_starts"],"context_length":100}`,
  `{"input_ids":[${Array.from({ length: 40_000 }, (_, i) => i).join(', ')}],"outputs":["window_starts"],"context_length":100}`,
  `{"text":[${Array.from({ length: 3000 }, (_, i) => `"word ${i}"`).join(',')}],"outputs":["document_ids"]}`,
  `{"text":"${'word '.repeat(30_000)}\\ud800"}`,
  `{"input_ids":[${'1,'.repeat(40_000)}-1]}`,
  `{"input_ids":[${'1,'.repeat(40_000)}"x"]}`,
  `{"input_ids":[${'1,'.repeat(40_000)}`,
]
const BAD_BYTES = [
  [0x7b, 0xff, 0x7d],
  [...Buffer.from('{"text":"'), 0xc0, 0x80, ...Buffer.from('"}')],
  [...Buffer.from('{"text":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')],
  [...Buffer.from('{"text":"'), 0xf4, 0x90, 0x80, 0x80, ...Buffer.from('"}')],
  [...Buffer.from('{"text":"a'), 0xe2, 0x82],
  [0xef, 0xbb, 0xbf, ...Buffer.from('{"text":"a"}')],
]

export function* brokenBodies() {
  for (const path of Object.keys(BODIES)) for (const body of BROKEN) yield post(path, body)
  for (const path of Object.keys(BODIES)) for (const bytes of BAD_BYTES) yield post(path, Buffer.from(bytes))
  for (const bytes of [...BAD_BYTES, [], [0x61, 0x00], [0xff]]) {
    yield text('/v1/input-embeddings?outputs=input_ids', Buffer.from(bytes))
  }
}

/** Bodies in pieces, packed, or not as their headers declare. */
export function* packedBodies() {
  const json = '{"text":"Hello world","outputs":["input_ids"]}'
  const path = '/v1/input-embeddings'
  const packs = { gzip: gzipSync(json), deflate: deflateSync(json), br: brokenOr(brotliCompressSync, json) }
  for (const [encoding, body] of Object.entries(packs)) {
    yield post(path, body, { 'content-encoding': encoding })
    yield post(path, body.subarray(0, body.length - 4), { 'content-encoding': encoding })
    yield post(path, Buffer.concat([body, body]), { 'content-encoding': encoding })
    yield post(path, Buffer.from('not packed'), { 'content-encoding': encoding })
    yield {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      chunks: [body.subarray(0, 5), body.subarray(5)],
    }
    yield text(`${path}?outputs=input_ids`, body, { 'content-encoding': encoding })
  }
  for (const encoding of ['identity', 'zstd', 'gzip, gzip', 'GZIP', 'x-gzip', '', 'compress']) {
    yield post(path, encoding === 'GZIP' || encoding === 'x-gzip' ? packs.gzip : json, {
      'content-encoding': encoding,
    })
  }
  yield post(path, gzipSync('a'.repeat(4_000_000)), { 'content-encoding': 'gzip' })
  for (const sizes of [[1], [3, 7], [46], [10, 10, 10, 10]]) {
    const chunks = []
    for (let at = 0; at < json.length; at += sizes[chunks.length % sizes.length]) {
      chunks.push(json.slice(at, at + sizes[chunks.length % sizes.length]))
    }
    yield { method: 'POST', path, headers: { 'content-type': 'application/json' }, chunks }
  }
  const euro = Buffer.from('€uro and 😀 in pieces')
  for (const cut of [1, 2, 4, 12, 13, 14]) {
    const headers = { 'content-type': 'text/plain' }
    yield {
      method: 'POST',
      path: `${path}?outputs=input_ids`,
      headers,
      chunks: [euro.subarray(0, cut), euro.subarray(cut)],
    }
  }
  yield { method: 'POST', path, headers: { 'content-type': 'application/json' }, chunks: [] }
}

function brokenOr(pack, value) {
  return pack(Buffer.from(value))
}

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json; charset=latin1',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'text/plain',
  'text/plain; charset=utf-16',
  'text/plain; charset=us-ascii',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/vnd.safetensors',
  'nonsense',
  '',
  'application/json; charset',
]
const ACCEPTS = [
  '*/*',
  'application/*',
  'text/*',
  'text/html',
  'application/json;q=0.1, application/x-npy;q=0.9',
  'application/x-npy;q=0, */*;q=0.1',
  'application/json;q=0',
  'image/png',
  'application/vnd.safetensors, */*;q=0.5',
  'application/x-safetensors',
  'application/octet-stream;q=0.5, application/x-pytorch;q=0.5',
  'nonsense',
  '',
  'application/json; version=2',
  'application/yaml',
  'text/plain; version=0.0.4',
  'application/openmetrics-text; version=1.0.0',
]

export function* mediaTypes() {
  for (const path of Object.keys(BODIES)) {
    for (const type of TYPES) yield post(path, BODIES[path][0], { 'content-type': type })
    for (const type of ACCEPTS) yield post(path, BODIES[path][0], { accept: type })
    yield { method: 'POST', path, body: JSON.stringify(BODIES[path][0]) }
    yield { method: 'POST', path }
  }
  for (const path of [
    '/',
    '/metrics',
    '/docs',
    '/openapi.json',
    '/openapi.yaml',
    '/v1/models',
    '/health/live',
    '/v2',
    '/v1/models/tiny/tables',
  ]) {
    for (const type of ACCEPTS) yield get(path, { accept: type })
  }
}
