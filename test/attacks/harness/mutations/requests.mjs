import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { drawn, optionsOf } from '../../../recorded/requests/input-embeddings.mjs'
import { jsonBody } from '../../../recorded/requests/json-bodies.mjs'
import { query } from '../../../recorded/requests/request.mjs'
import { drawing } from '../random.mjs'
import { changed } from './bytes.mjs'
import { rawRequest } from './raw.mjs'

// Request number `i` of a seed: the same bytes each time.

const ACCEPTS = [
  'application/json',
  'application/x-npy',
  'application/vnd.safetensors',
  'application/octet-stream',
  '*/*',
  '*/*',
  '*/*',
  'application/json',
  'application/json, */*;q=0.1',
  'application/json',
  'application/vnd.safetensors, */*',
  'text/html',
  'application/*;q=0.1, image/png',
  '',
]
const PACKERS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }
const PATHS = [
  '/health/live',
  '/health/ready',
  '/metrics',
  '/v1/models',
  '/v1/models/default',
  '/v1/models/%2e%2e',
  '/docs',
  '/openapi.json',
  '/openapi.yaml',
  '/nothing',
  '/',
  '//',
  '/v1/models/default/position-embeddings',
  '/v1/%',
]
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD', 'TRACE', 'QUERY']

const JSON_PATHS = ['/v1/input-embeddings', '/v1/tokenize', '/v1/detokenize']

/** Half of the bodies are of fields that mostly go together, half are JSON as nobody writes it. */
function jsonRequestOf(draw) {
  return draw.chance(0.5) ? drawn(draw, 50_257) : jsonBody(draw, draw.one(JSON_PATHS))
}

const queryOf = (draw) => query(optionsOf(draw))

/** Bytes of request `i`: { kind, bytes }. */
export function requestOf(seed, i) {
  const draw = drawing(Math.imul(seed, 0x9e3779b1) ^ Math.imul(i + 1, 0x85ebca6b))
  const { random, one, chance } = draw
  const share = random()
  if (share < 0.4) return { kind: 'JSON', bytes: jsonBytes(draw) }
  if (share < 0.5) return { kind: 'text', bytes: textBytes(draw) }
  if (share < 0.6)
    return {
      kind: 'positions',
      bytes: getBytes(draw, `/v1/models/default/position-embeddings?${queryOf(draw)}`),
    }
  if (share < 0.65) return { kind: 'packed', bytes: packedBytes(draw) }
  if (share < 0.7)
    return {
      kind: 'routes',
      bytes: bytesOf(one(METHODS), one(PATHS) + (chance(0.1) ? `?${queryOf(draw)}` : ''), [], ''),
    }
  if (share < 0.75) return { kind: 'raw', bytes: rawRequest(draw) }
  const whole = chance(0.5) ? jsonBytes(draw) : chance(0.5) ? textBytes(draw) : packedBytes(draw)
  return { kind: 'changed bytes', bytes: changed(draw, whole) }
}

function bytesOf(method, path, headers, body) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers]
  const bytes = Buffer.from(body)
  if (bytes.length > 0) lines.push(`Content-Length: ${bytes.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes])
}

function jsonBytes(draw) {
  const { path, body, headers } = jsonRequestOf(draw)
  const type = `Content-Type: ${headers['content-type']}`
  return bytesOf('POST', path, [type, `Accept: ${draw.one(ACCEPTS)}`], body)
}

const someText = (draw) =>
  Array.from({ length: draw.upTo(40) }, () => draw.one(['a ', 'wave', '🌊', '\n', 'é'])).join('')

function textBytes(draw) {
  const body = draw.chance(0.9) ? Buffer.from(someText(draw)) : Buffer.from([0x61, 0xff, 0xc0, 0x80])
  const headers = ['Content-Type: text/plain', `Accept: ${draw.one(ACCEPTS)}`]
  return bytesOf('POST', `/v1/input-embeddings?${queryOf(draw)}`, headers, body)
}

const getBytes = (draw, path) => bytesOf('GET', path, [`Accept: ${draw.one(ACCEPTS)}`], '')

function packedBytes(draw) {
  const { path, body } = jsonRequestOf(draw)
  const coding = draw.one(Object.keys(PACKERS))
  const packed = PACKERS[coding](body)
  const said = draw.chance(0.8)
    ? coding
    : draw.one(['gzip', 'br', 'deflate', 'zstd', 'gzip, br', 'identity', ''])
  const bytes = draw.chance(0.7) ? packed : changed(draw, packed)
  return bytesOf('POST', path, ['Content-Type: application/json', `Content-Encoding: ${said}`], bytes)
}
