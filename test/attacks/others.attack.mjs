import { setTimeout as delay } from 'node:timers/promises'
import { EMBEDDINGS, jsonPost, MIB, positions, RAW, textPost } from './harness/bodies.mjs'
import { inTurn } from './harness/calls.mjs'
import { head, openConnection } from './harness/connections.mjs'
import { literal, modelsFolder } from './harness/models-folder.mjs'

// What small requests name and do not send: bodies that are announced, answers that are computed for as long as somebody
// reads them, lists of special tokens. Meanwhile others send requests as they do.

const JSON_TYPE = { 'Content-Type': 'application/json' }
const OTHERS = 8
const BEGIN_MS = 2000
const LEAVE_MS = 500
const LISTS = 200
const AT_ONCE = 20
const large = textPost('context_length=1024&outputs=window_starts', 'a '.repeat(48 * 1024), RAW)
const announced = `${head('POST', EMBEDDINGS, JSON_TYPE, 2 * MIB)}{`
const CHUNKED = { 'Content-Type': 'application/x-ndjson', 'Transfer-Encoding': 'chunked' }
const upload = `${head('POST', '/v1/datasets?encoding=gpt2', CHUNKED)}1\r\n{\r\n`
const endless = positions('sinusoidal', {}, { context_length: 8_000_000 })

/** Each list has another set of the special tokens. */
const list = (i) => ({
  ...jsonPost(
    '/v1/tokenize',
    JSON.stringify({
      model: 'unigram',
      text: literal(0) + literal(1),
      allowed_special: Array.from({ length: 12 }, (_, bit) => literal(2 + 2 * bit + ((i >> bit) & 1))),
    }),
  ),
  leaveAfterMs: LEAVE_MS,
})

export const name = 'others'
export const about = 'what small requests name, while others send large bodies and texts'
export const variants = {
  '200 announced bodies': { begin: announced, count: 200, other: large },
  '200 uploads of one byte': { begin: upload, count: 200, other: large },
  'three endless answers': { begin: head('GET', endless.path, RAW), count: 3, other: large },
  '200 lists of special tokens': {
    lists: LISTS,
    other: jsonPost('/v1/tokenize', '{"model":"unigram","text":"a"}'),
  },
}
export const env = {
  MAX_BYTES_IN_FLIGHT: String(128 * MIB),
  MAX_RESPONSE_BYTES: String(64 * 2 ** 30),
  get MODELS_DIR() {
    return modelsFolder()
  },
}
export const limitMs = 120_000

export async function send(service, { begin, count, lists, other }) {
  const sockets = Array.from({ length: count ?? 0 }, () => openConnection(service.port))
  for (const socket of sockets) socket.resume().write(begin)
  const left = inTurn(lists ?? 0, AT_ONCE, (i) => service.call(list(i)))
  await delay(BEGIN_MS)
  const answers = []
  for (let i = 0; i < OTHERS; i++) answers.push(await service.call(other))
  await left
  for (const socket of sockets) socket.resetAndDestroy()
  const slowest = Math.max(...answers.map(({ ms }) => ms))
  return {
    answers,
    said: `others: ${answers.map(({ status }) => status)}, the slowest ${Math.round(slowest)} ms`,
  }
}

export function expect({ answers }, must) {
  must.answered(answers, ['200'])
}
