import { setTimeout as delay } from 'node:timers/promises'
import { EMBEDDINGS, jsonPost } from './harness/bodies.mjs'
import { call, callAll, exchange, inTurn } from './harness/calls.mjs'
import { head } from './harness/connections.mjs'
import { ADMIN_KEY, constantTable } from './harness/model-calls.mjs'

// What an admin's key lets one send: cards, files of tables, orders to load and to let go.

const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const FILE = { ...ADMIN, 'content-type': 'application/vnd.safetensors' }
const CARD = { vocab_size: 4096, embedding_dim: 64, max_position_embeddings: 4 } // 1 MiB
const MODEL = 'attacked'
const deep = (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`

export const name = 'models'
export const about = 'cards, files of tables and orders to load and unload, by who has the admin’s key'
export const variants = {
  cards: { send: sendCards, allowed: ['4xx', '507 insufficient_memory'] },
  'heads of files': { send: sendHeads, allowed: ['4xx'] },
  'files broken off': { send: breakOff, allowed: ['200'] },
  'loaded and unloaded': {
    send: storm,
    allowed: ['200', '503 model_loading', '503 overloaded'],
    env: { THREADS: '2' },
  },
  'a thousand, listed': { send: listMany, allowed: ['200', '503 overloaded'] },
}
export const env = { ADMIN_KEY, MAX_TABLE_BYTES: String(128 * 2 ** 20) }
export const bounds = { rssBytes: 900 * 2 ** 20 }
export const limitMs = 40_000

export const send = (service, variant) => variant.send(service)

export function expect({ answers, version, expected }, must, { allowed }) {
  must.answered(answers, allowed)
  must.that(version === expected, `the model must have version ${expected}: ${version}`)
}

const admin = (method, path, body) => ({
  method,
  path: `/v1/models/${path}`,
  headers: { ...ADMIN, ...(body !== undefined && { 'content-type': 'application/json' }) },
  body,
})

async function make(service, id = MODEL, card = CARD) {
  const answer = await service.call(admin('PUT', id, JSON.stringify(card)))
  if (answer.status !== 201) throw new Error(`${id} could not be made: ${answer.status} ${answer.body}`)
}

async function versionOf(service) {
  const { body } = await service.call({ path: `/v1/models/${MODEL}` })
  return JSON.parse(body).model_version
}

async function sendCards(service) {
  const wrong = [
    deep(60_000),
    `{"vocab_size":${'9'.repeat(300_000)}}`,
    `{"encoding":"${'x'.repeat(1_000_000)}"}`,
    `{${Array.from({ length: 40_000 }, (_, i) => `"field${i}":0`)}}`,
    `{"position_embedding":${deep(30_000)}}`,
    `{"position_embedding":{"type":"rope","head_dim":1e308}}`,
    '{"embedding_dim":1048576,"vocab_size":2147483647}',
    '{"embedding_dim":0}',
    '{"seed":-1e400}',
    '{"init_std":0}',
    '[]',
    '"card"',
    '',
  ]
  const ids = [MODEL, 'default', '%2e%2e', '%00', 'a'.repeat(129), '__proto__', 'a%2fb%2fc']
  const requests = wrong.flatMap((body) => ids.map((id) => admin('PUT', id, body)))
  return { answers: await callAll(service.port, requests.length, (i) => requests[i]) }
}

/** A file whose head is anything, with four bytes of data. */
function fileWith(header, length = Buffer.byteLength(header)) {
  const first = Buffer.alloc(8)
  first.writeBigUInt64LE(BigInt(length))
  return Buffer.concat([first, Buffer.from(header), Buffer.alloc(4)])
}

async function sendHeads(service) {
  await make(service)
  const tensor = (fields) => `{"wte.weight":{${fields}}}`
  const files = [
    fileWith(tensor(`"dtype":${deep(30_000)},"shape":[1],"data_offsets":[0,4]`)),
    fileWith(tensor(`"dtype":"F32","shape":[${Array(30_000).fill(1)}],"data_offsets":[0,4]`)),
    fileWith(tensor(`"dtype":"F32","shape":[${Array(3000).fill(99)}],"data_offsets":[0,4]`)),
    fileWith(`{"${'n'.repeat(60_000)}":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`),
    fileWith(`{"__metadata__":{"${'n'.repeat(60_000)}":1}}`),
    fileWith(`{"__metadata__":${deep(30_000)}}`),
    fileWith('{}', 2 ** 40),
    fileWith('{}', 65_537),
    fileWith('{}\0\0'),
    fileWith(`{"a":${'1'.repeat(60_000)}}`),
    fileWith(`{"a":"${'\\u0000'.repeat(10_000)}"}`),
    Buffer.alloc(7),
    Buffer.alloc(1_000_000, 255),
  ]
  const requests = files.flatMap((body) =>
    ['new', `${MODEL}/tables`].map((path) => ({
      method: 'PUT',
      path: `/v1/models/${path}`,
      headers: FILE,
      body,
    })),
  )
  const answers = await callAll(service.port, requests.length, (i) => requests[i])
  return { answers, version: await versionOf(service), expected: '1' }
}

async function breakOff(service) {
  await make(service)
  const file = constantTable(CARD.vocab_size, CARD.embedding_dim, 7)
  const path = `/v1/models/${MODEL}/tables`
  const begin = head('PUT', path, { ...FILE, Connection: 'close' }, file.length)
  await inTurn(96, 32, (i) => {
    const part = file.subarray(0, Math.floor((file.length * (i % 12)) / 12))
    return exchange(service.port, [begin, part], { leaveAfterMs: 20 + i })
  })
  await delay(300)
  const before = await versionOf(service)
  const whole = await service.call({ method: 'PUT', path, headers: FILE, body: file })
  const said = `version ${before} after 96 files broken off, then a whole one: ${whole.status}`
  return { answers: [whole], said, version: `${before}, ${await versionOf(service)}`, expected: '1, 2' }
}

async function storm(service) {
  await make(service)
  const body = JSON.stringify({ model: MODEL, input_ids: [1, 2, 3], outputs: ['token_embeddings'] })
  const answers = []
  const until = performance.now() + 4000
  const repeat = async (request) => {
    while (performance.now() < until && !service.ended) answers.push(await call(service.port, request))
  }
  const orders = ['load', 'unload'].map((order) => admin('POST', `${MODEL}/${order}`))
  await Promise.all([
    ...Array.from({ length: 32 }, (_, i) => repeat(orders[i % 2])),
    ...Array.from({ length: 8 }, () => repeat(jsonPost(EMBEDDINGS, body))),
  ])
  answers.push(await call(service.port, orders[0]), await call(service.port, jsonPost(EMBEDDINGS, body)))
  return { answers }
}

async function listMany(service) {
  const small = { vocab_size: 1, embedding_dim: 1, max_position_embeddings: 1 }
  await inTurn(998, 16, (i) => make(service, `m${i}`, small))
  const paths = ['/v1/models', '/metrics', '/v1/models/none', '/v1/models/m500']
  const answers = await callAll(service.port, 64, (i) => ({ path: paths[i % paths.length] }))
  const unknown = answers.filter(({ status }) => status === 404)
  return {
    answers: answers.filter(({ status }) => status !== 404),
    said: `${answers.length} calls`,
    version: unknown.length,
    expected: 16,
  }
}
