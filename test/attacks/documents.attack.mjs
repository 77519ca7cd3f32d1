import { EMBEDDINGS, jsonPost, MIB, repeated } from './harness/bodies.mjs'
import { callAll } from './harness/calls.mjs'

// As many documents as a body holds: a few packed bytes ask for millions of small things. Beyond MAX_DOCUMENTS it is
// refused; below it is served, in turns, without a buffer for each.

const OUTPUTS = ',"outputs":["input_ids"],"context_length":1,"tail":"pad"}'
const ids = (limits) => repeated('{"input_ids":[', '[0]', `]${OUTPUTS}`, limits)
const texts = (limits) => repeated('{"text":[', '"a"', `]${OUTPUTS}`, limits)
const types = () =>
  Buffer.concat([
    repeated('{"architecture":"bert","input_ids":[', '[0]', ']', { count: 1_000_000 }),
    repeated(',"token_type_ids":[', '[0]', `]${OUTPUTS}`, { count: 1_000_000 }),
  ])
const HOLD_MS = 10_000
const MOST = { count: 65_536 }

export const name = 'documents'
export const about = '[[0],[0],…]: 2.1 million documents in 8 MB, 122 bytes as brotli'
export const variants = {
  br: { body: ids, coding: 'br' },
  gzip: { body: ids, coding: 'gzip' },
  plain: { body: ids },
  'four unread': { body: ids, coding: 'br', count: 4, unread: true, limitMs: 200_000 },
  texts: { body: texts, coding: 'br' },
  'token types': { body: types, coding: 'br' },
  'the most allowed': { body: ids, limits: MOST, coding: 'br', served: true },
  'the most texts': { body: texts, limits: MOST, coding: 'br', served: true },
}
export const bounds = { rssBytes: 800 * MIB }

export function prepare({ body, limits, coding, count = 1, unread }) {
  const request = jsonPost(EMBEDDINGS, body(limits), coding)
  return { count, request: unread ? { ...request, holdMs: HOLD_MS } : request }
}

export async function send(service, { request, count }) {
  return { answers: await callAll(service.port, count, () => request) }
}

export function expect({ answers }, must, { served }) {
  if (served) must.answered(answers, ['200'])
  else must.answered(answers, ['4xx'])
}
