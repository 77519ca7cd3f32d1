import { EMBEDDINGS, JSON_LIMIT, jsonPost, MIB, packed, RAW, repeated, textPost } from './harness/bodies.mjs'
import { callAll } from './harness/calls.mjs'

// Many of the largest bodies at once. What does not fit now is refused, before it is taken in.

const ids = () =>
  jsonPost(
    EMBEDDINGS,
    repeated('{"outputs":["window_starts"],"context_length":1024,"input_ids":[', '0', ']}'),
  )
const text = () => {
  const before = '{"outputs":["window_starts"],"context_length":1024,"text":"'
  return jsonPost(EMBEDDINGS, Buffer.from(`${before}${'qx'.repeat((JSON_LIMIT - before.length - 2) / 2)}"}`))
}
const SHUFFLED = 'context_length=1&shuffle=true&seed=1&batch_size=8&batch_index=0&outputs=window_starts'
/** One token a byte, so a window a byte. With more, one request would not fit the ledger of 512 MiB. */
const TEXT_BYTES = 16 * MIB
const raw = () => textPost(SHUFFLED, Buffer.alloc(TEXT_BYTES, 'qx'), RAW)
const bomb = () => {
  const request = raw()
  return {
    ...request,
    body: packed(request.body, 'br'),
    headers: { ...request.headers, 'Content-Encoding': 'br' },
  }
}

export const name = 'large-bodies'
export const about = '200 × 2 MiB JSON; 20 × 16 MiB text with `shuffle`'
export const variants = {
  '200 × 2 MiB of ids': { request: ids, count: 200 },
  '200 × 2 MiB of text': { request: text, count: 200 },
  '20 × 16 MiB of text, shuffled': { request: raw, count: 20 },
  'one, shuffled': { request: raw, count: 1, served: true },
  '50 × 16 MiB from 50 bytes, shuffled': { request: bomb, count: 50 },
}
export const limitMs = 120_000

export function prepare({ request, count }) {
  const one = request()
  return { request: { ...one, headers: { ...RAW, ...one.headers } }, count }
}

export async function send(service, { request, count }) {
  return { answers: await callAll(service.port, count, () => request) }
}

export function expect({ answers }, must, { served }) {
  if (served) must.answered(answers, ['200'])
  else must.answeredOrRefused(answers)
  must.that(
    answers.some(({ status }) => status === 200),
    'some must be served',
  )
}
