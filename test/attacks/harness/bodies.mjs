import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

export const MIB = 2 ** 20
export const JSON_LIMIT = 2 * MIB
export const TEXT_LIMIT = 64 * MIB

const JSON_TYPE = { 'Content-Type': 'application/json' }
export const EMBEDDINGS = '/v1/input-embeddings'

/** `before`, as many `element`s with `between` as fit, `after`: a body of at most `limit` bytes. */
export function repeated(before, element, after, { limit = JSON_LIMIT, between = ',', count } = {}) {
  const each = element.length + between.length
  const room = limit - before.length - after.length + between.length
  const times = Math.min(count ?? Number.POSITIVE_INFINITY, Math.floor(room / each))
  const middle = Buffer.alloc(times * each - between.length, element + between)
  return Buffer.concat([Buffer.from(before), middle, Buffer.from(after)])
}

/** `before`, `element(0)`, `element(1)`, … with commas, `after`: a body of at most `limit` bytes. */
export function numbered(before, element, after, { limit = JSON_LIMIT, count } = {}) {
  const parts = []
  let bytes = before.length + after.length
  for (let i = 0; count === undefined || i < count; i++) {
    const part = element(i)
    bytes += part.length + 1
    if (bytes > limit) break
    parts.push(part)
  }
  return Buffer.from(before + parts.join(',') + after)
}

/** A POST of JSON, packed by `coding` (`br`, `gzip`) or as it is. */
export function jsonPost(path, body, coding) {
  if (coding === undefined) return { path, body, headers: JSON_TYPE }
  return { path, body: packed(body, coding), headers: { ...JSON_TYPE, 'Content-Encoding': coding } }
}

export function packed(body, coding) {
  if (coding === 'gzip') return gzipSync(body, { level: 9 })
  // The best packing of a gigabyte would take a minute.
  const quality = body.length > 64 * MIB ? 4 : constants.BROTLI_MAX_QUALITY
  return brotliCompressSync(body, {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: quality },
  })
}

/** A POST of raw text; the query has the options. */
export function textPost(query, body, headers = {}) {
  return { path: `${EMBEDDINGS}?${query}`, body, headers: { 'Content-Type': 'text/plain', ...headers } }
}

export const RAW = { Accept: 'application/octet-stream' }

/** `GET` of a scheme's tensors: `positions('t5', { num_heads: 16 }, { outputs: 'position_bias' })`. */
export function positions(type, options = {}, query = {}) {
  const fields = { context_length: 1, position_embedding: type, ...query }
  for (const [name, value] of Object.entries(options)) fields[`position_embedding.${name}`] = value
  return { path: `/v1/models/default/position-embeddings?${new URLSearchParams(fields)}`, headers: RAW }
}

/** T5's table of 2^24 numbers, the most that may be drawn; each seed has another one. */
export const largestDrawing = (seed) =>
  positions(
    't5',
    { num_buckets: 2 ** 20, num_heads: 16, max_distance: 1_000_000, seed },
    { outputs: 'position_bias' },
  )
