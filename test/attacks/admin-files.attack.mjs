import { callAll, inTurn } from './harness/calls.mjs'
import { ADMIN_KEY } from './harness/model-calls.mjs'

// What an admin's key lets one send beside `models`: cards with many fields, files of many tensors, long lists.

const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const FILE = { ...ADMIN, 'content-type': 'application/vnd.safetensors' }
/** The longest header of a file. */
const HEADER_BYTES = 65_536
const MODEL = 'attacked'

export const name = 'admin-files'
export const about = 'cards at their limit, files of a thousand tensors, a thousand models in each list'
export const variants = {
  'the largest cards': { send: sendCards, allowed: ['4xx'] },
  'files of many tensors': { send: sendFiles, allowed: ['4xx'] },
  'a thousand models, listed': { send: sendLists, allowed: ['200'] },
}
export const env = { ADMIN_KEY }
export const bounds = { rssBytes: 900 * 2 ** 20 }

export const send = (service, variant) => variant.send(service)

export function expect({ answers }, must, { allowed }) {
  must.answered(answers, allowed)
}

const put = (path, body, type = 'application/json') => ({
  method: 'PUT',
  path: `/v1/models/${path}`,
  headers: { ...ADMIN, 'content-type': type },
  body,
})

async function sendCards(service) {
  const list = (count) => `[${Array(count).fill('1.5')}]`
  const long = (count) =>
    `{"embedding_dim":64,"position_embedding":{"type":"rope","head_dim":64,"scaling":{"type":"longrope","long_factor":${list(count)},"short_factor":${list(count)}}}}`
  const cards = [
    long(7500),
    long(8_000),
    `{"embedding_dim":64,"position_embedding":{${Array.from({ length: 5000 }, (_, i) => `"a${i}":0`)}}}`,
    `{"embedding_dim":64,${Array.from({ length: 250 }, (_, i) => `"a${i}":"${'x'.repeat(30_000)}"`)}}`,
    `{"embedding_dim":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  ]
  const requests = cards.flatMap((card) => Array(4).fill(put(MODEL, card)))
  return { answers: await callAll(service.port, requests.length, (i) => requests[i]) }
}

/** A file with as many tensors as a header holds. */
function fileOf(tensor, metadata = '') {
  let header = `{${metadata}`
  for (let i = 0; ; i++) {
    const next = `${header === '{' ? '' : ','}"t${i}":${tensor(i)}`
    if (header.length + next.length + 1 > HEADER_BYTES) break
    header += next
  }
  header += '}'
  const first = Buffer.alloc(8)
  first.writeBigUInt64LE(BigInt(header.length))
  return Buffer.concat([first, Buffer.from(header), Buffer.alloc(HEADER_BYTES)])
}

async function sendFiles(service) {
  const made = await service.call(put(MODEL, '{"vocab_size":16,"embedding_dim":4}'))
  if (made.status !== 201) throw new Error(`the model could not be made: ${made.status} ${made.body}`)
  const files = [
    fileOf((i) => `{"dtype":"F32","shape":[1],"data_offsets":[${4 * i},${4 * i + 4}]}`),
    fileOf(() => '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'),
    fileOf(() => '0'),
    fileOf((i) => `{"dtype":"U8","shape":[${Array(20).fill(1)}],"data_offsets":[${i},${i + 1}]}`),
    fileOf((i) => `"${i}"`, `"__metadata__":{${Array.from({ length: 2500 }, (_, i) => `"m${i}":"${i}"`)}}`),
  ]
  const paths = ['new', `${MODEL}/tables`]
  const requests = files.flatMap((body) => paths.map((path) => put(path, body, FILE['content-type'])))
  return { answers: await callAll(service.port, requests.length, (i) => requests[i]) }
}

async function sendLists(service) {
  const card = '{"vocab_size":1,"embedding_dim":1,"max_position_embeddings":1}'
  await inTurn(998, 16, (i) => service.call(put(`m${i}`, card)))
  const lists = [{ path: '/v1/models' }, { path: '/metrics' }, { path: '/v2' }]
  const answers = await callAll(service.port, 4 * lists.length, (i) => lists[i % lists.length])
  return { answers: answers.map((answer) => ({ ...answer, body: '' })) }
}
