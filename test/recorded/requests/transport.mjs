import { get, post } from './request.mjs'

const PATHS = [
  '/',
  '/v1/input-embeddings',
  '/v1/models/default/position-embeddings',
  '/v1/tokenize',
  '/v1/detokenize',
  '/v1/embeddings',
  '/v1/prompt-embeds',
  '/v1/models/default/neighbors',
  '/v1/models',
  '/v1/models/default',
  '/v1/models/absent',
  '/v1/models/default/load',
  '/v1/models/default/unload',
  '/v1/models/default/tables',
  '/v2',
  '/v2/',
  '/v2/health/live',
  '/v2/health/ready',
  '/v2/models',
  '/v2/models/default',
  '/v2/models/default/versions/1',
  '/v2/models/default/versions/2',
  '/v2/models/default/ready',
  '/v2/models/default/config',
  '/v2/models/default/stats',
  '/v2/models/stats',
  '/v2/models/default/infer',
  '/v2/repository/index',
  '/v2/repository/models/default/load',
  '/v2/repository/models/default/unload',
  '/v2/trace/setting',
  '/v2/logging',
  '/v2/systemsharedmemory/status',
  '/v2/cudasharedmemory/status',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/openapi.json',
  '/openapi.yaml',
  '/docs',
  '/docs/start.js',
  '/docs/swagger-ui.css',
  '/docs/favicon-32x32.png',
  '/docs/absent.js',
  '/explorer/absent.js',
  '/explorer/..%2f..%2fpackage.json',
  '/absent',
  '/v1',
  '/v1/',
  '/v1/models/',
  '/V1/MODELS',
  '//v1/models',
  '/v1/models/a%20b',
  '/v1/models/%ff',
  '/v1/models/%',
  '/v1/models/../default',
  '/v1/models/default/',
  '/v1/models/default?x=1',
  '/favicon.ico',
]
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH']

/** Every path with every method: what is not there, not allowed, or without a body. */
export function* methods() {
  for (const path of PATHS) {
    for (const method of METHODS) {
      const isChange = ['PUT', 'DELETE'].includes(method) || /\/(un)?load$/.test(path)
      if (isChange) continue // these are in `models`, with keys
      yield get(path, {}, method)
    }
  }
  for (const path of ['/v1/models/default', '/v1/tokenize'])
    for (const method of ['TRACE', 'LOCK', 'SEARCH']) yield get(path, {}, method)
}

const HEADERS = [
  { 'x-request-id': 'a-b_c.1' },
  { 'x-request-id': 'with space' },
  { 'x-request-id': 'x'.repeat(300) },
  { 'x-request-id': 'ü' },
  { 'x-request-timeout': '10' },
  { 'x-request-timeout': '0' },
  { 'x-request-timeout': '-1' },
  { 'x-request-timeout': 'soon' },
  { 'x-request-timeout': '1e3' },
  { 'x-request-timeout': '0.0000001' },
  { 'x-request-timeout': '99999999' },
  { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  { expect: '100-continue' },
  { expect: 'nothing' },
  { 'accept-encoding': 'gzip' },
  { 'accept-encoding': 'br, gzip;q=0.5' },
  { connection: 'close' },
  { origin: 'https://example.org' },
  { authorization: 'Basic abc' },
  { authorization: 'Bearer whatever' },
  { te: 'trailers' },
  { upgrade: 'h2c', connection: 'upgrade' },
  { cookie: 'a=b' },
  { range: 'bytes=0-10' },
  { 'if-none-match': '*' },
  { 'if-match': '"x"' },
  { 'x-long': 'a'.repeat(8000) },
  { 'x-too-long': 'a'.repeat(17_000) },
]

export function* headers() {
  for (const each of HEADERS) {
    yield post('/v1/tokenize', { text: 'Hello world' }, each)
    yield get('/v1/models/tiny', each)
    yield get('/', { ...each, accept: 'text/html' })
  }
  yield post(
    '/v1/input-embeddings',
    { text: 'word '.repeat(200_000), context_length: 8 },
    { 'x-request-timeout': '0.001' },
  )
}

const BODY = '{"text":"Hello world","outputs":["input_ids"]}'
const CALL = `POST /v1/input-embeddings HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`
const LOOK = 'GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n'

/** Messages as bytes: pipelined, in pieces, and such as are no HTTP. */
export function* messages() {
  const raw = (bytes, answers = 1, methods = []) => ({
    name: 'raw',
    method: 'GET',
    path: JSON.stringify(bytes).slice(0, 70),
    raw: bytes,
    answers,
    methods,
  })
  yield raw(CALL.repeat(3), 3)
  yield raw(LOOK + CALL + LOOK + CALL, 4)
  yield raw(CALL.repeat(12), 12)
  yield raw(`HEAD /v2 HTTP/1.1\r\nhost: a\r\n\r\n${LOOK}`, 2, ['HEAD', 'GET'])
  yield raw(`${CALL}nonsense\r\n\r\n`, 2)
  yield raw([LOOK.slice(0, 9), 30, LOOK.slice(9)])
  yield raw([CALL.slice(0, -9), 30, CALL.slice(-9)])
  yield raw('GET /health/live HTTP/1.0\r\n\r\n')
  yield raw('GET /health/live HTTP/1.0\r\nconnection: keep-alive\r\n\r\n')
  yield raw('GET /health/live HTTP/1.1\r\n\r\n')
  yield raw('GET /health/live HTTP/2.0\r\nhost: a\r\n\r\n')
  yield raw('GET  /health/live HTTP/1.1\r\nhost: a\r\n\r\n')
  yield raw('GET /health live HTTP/1.1\r\nhost: a\r\n\r\n')
  yield raw('NONSENSE /health/live HTTP/1.1\r\nhost: a\r\n\r\n')
  yield raw('hello\r\n\r\n')
  yield raw('\r\n\r\nGET /health/live HTTP/1.1\r\nhost: a\r\n\r\n')
  yield raw('GET /health/live HTTP/1.1\nhost: a\n\n')
  yield raw('GET /health/live HTTP/1.1\r\nhost : a\r\n\r\n')
  yield raw('GET /health/live HTTP/1.1\r\nhost: a\r\nx: a\u0001b\r\n\r\n')
  yield raw('GET /health/live HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n')
  yield raw('GET http://other.test/health/live HTTP/1.1\r\nhost: a\r\n\r\n')
  yield raw('GET * HTTP/1.1\r\nhost: a\r\n\r\n')
  yield raw('OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n')
  yield raw('CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n')
  yield raw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`)
  yield raw(`GET / HTTP/1.1\r\nhost: a\r\n${'x: y\r\n'.repeat(3000)}\r\n`)
  yield raw(
    'POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: x\r\n\r\n',
  )
  yield raw(
    'POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: -1\r\n\r\n',
  )
  yield raw(
    'POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\n{}  ',
  )
  yield raw(
    'POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  )
  yield raw(
    'POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: gzip\r\n\r\n',
  )
  yield raw(
    'POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  )
  yield raw(
    'POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5;ext=1\r\n{"tex\r\n8\r\nt":"hi"}\r\n0\r\ntrailer: x\r\n\r\n',
  )
  yield raw(
    `POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99999999999\r\n\r\n{`,
  )
  yield raw(
    `POST /v1/input-embeddings HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
  )
  yield raw(`POST /v1/absent HTTP/1.1\r\nhost: a\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}${LOOK}`, 2)
}

/** Pages of other origins. */
export function* origins() {
  for (const origin of ['https://example.org', 'https://other.example', 'null', 'http://example.org']) {
    yield get('/v1/models', { origin })
    yield post('/v1/tokenize', { text: 'a' }, { origin })
    yield post('/v1/tokenize', { text: 7 }, { origin })
    yield get(
      '/v1/tokenize',
      { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      'OPTIONS',
    )
    yield get('/v1/models/tiny/tables', { origin, 'access-control-request-method': 'PUT' }, 'OPTIONS')
    yield get('/absent', { origin, 'access-control-request-method': 'GET' }, 'OPTIONS')
    yield get('/v1/tokenize', { origin }, 'OPTIONS')
    yield get('/absent', { origin })
    yield get('/', { origin, accept: 'text/html' })
    yield get('/health/live', { origin })
  }
}

/** Requests that do not arrive within the allowed second. */
export function* unfinished() {
  const raw = (bytes) => ({ path: JSON.stringify(bytes).slice(0, 70), raw: bytes })
  const head = 'POST /v1/tokenize HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
  yield raw(`${head}content-length: 50\r\n\r\n{"text"`)
  yield raw(`${head}transfer-encoding: chunked\r\n\r\n5\r\n{"tex\r\n`)
  yield raw(
    'POST /v1/input-embeddings HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 50\r\n\r\nHello',
  )
}
