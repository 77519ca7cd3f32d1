import { setTimeout as delay } from 'node:timers/promises'
import { jsonPost, MIB } from './harness/bodies.mjs'
import { scrape } from './harness/metrics.mjs'

// Small requests about a small dataset whose numbers are large: sizes of windows, seeds, stages, uploads without an end.

const LARGEST = 2 ** 30
const RAW = { Accept: 'application/octet-stream' }
const post = (type, query, body) => ({
  method: 'POST',
  path: `/v1/datasets?${query}`,
  headers: { 'Content-Type': type },
  body,
})
const raw = (body, query = '') => post('application/octet-stream', `dtype=uint16&${query}`, body)
const get = (path, headers = {}) => ({ path: `/v1/datasets/${path}`, headers, keep: 4096 })
const batch = (id, query, headers) => get(`${id}/batches/0?batch_size=1&${query}`, headers)
const idOf = (answer) => JSON.parse(answer.body.toString()).id
const upload = async (service, bytes, query) =>
  idOf(await service.call({ ...raw(Buffer.alloc(bytes, 1), query), keep: 4096 }))

async function windows(service, query, path = '', accept = {}) {
  const id = await upload(service, 20, 'encoding=gpt2')
  const asked = `batch_size=1&context_length=${LARGEST}&${query}`
  return {
    answers: [await service.call(get(`${id}/batches${path}?${asked}`, { Range: 'bytes=0-99', ...accept }))],
  }
}

async function seeds(service, count) {
  const id = await upload(service, 2 * MIB)
  const answers = []
  for (let seed = 0; seed < count; seed++) {
    const query = `context_length=4&stride=1&shuffle=true&seed=${seed}`
    answers.push(await service.call(batch(id, query)))
  }
  const held = (await scrape(service.port)).get('inlet_bytes_in_flight')
  answers.push(
    await service.call(
      jsonPost('/v1/tokenize', JSON.stringify({ text: 'a '.repeat(MIB / 4), count_only: true })),
    ),
  )
  return { answers, held }
}

async function abandoned(service, count) {
  const id = await upload(service, 12 * MIB)
  const query = (seed) => `context_length=4&stride=1&shuffle=true&seed=${seed}`
  const left = Array.from({ length: count }, (_, seed) => ({ ...batch(id, query(seed)), leaveAfterMs: 300 }))
  await Promise.all(left.map((request) => service.call(request)))
  await delay(500)
  return { answers: [await service.call(batch(id, query(count)))] }
}

async function mixture(service) {
  const id = await upload(service, 4096)
  const stages = Array.from({ length: 1024 }, (_, s) => ({
    from_window: 1024 * s,
    weights: Array.from({ length: 64 }, (_, j) => 1 + ((s * j) % 7)),
  }))
  const body = JSON.stringify({ mixture: Array(64).fill({ dataset: id }), stages })
  const mixed = idOf(
    await service.call({ ...post('application/json', '', Buffer.from(body)), keep: 2 ** 20 }),
  )
  const query =
    'context_length=4&batch_size=1024&world_size=1024&rank=5&num_batches=1024&shuffle=index&seed=1'
  return { answers: [await service.call(get(`${mixed}/batches/900000?${query}`))] }
}

async function tiny(service, count) {
  const answers = []
  for (let i = 0; i < count; i++) answers.push(await service.call(raw(Buffer.from([i & 255, i >> 8]))))
  return { answers }
}

export const name = 'datasets'
export const about =
  'small requests whose numbers are large: windows of 2^30, seeds, abandoned orders, stages, tiny datasets'
export const variants = {
  'a plan of best_fit windows of 2^30': { run: (service) => windows(service, 'packing=best_fit') },
  'a padded window of 2^30': { run: (service) => windows(service, 'tail=pad&outputs=input_ids', '/0', RAW) },
  '40 seeds': { run: (service) => seeds(service, 40) },
  '70 orders that are left': { run: (service) => abandoned(service, 70) },
  '64 datasets in 1,024 stages': { run: mixture },
  '300 datasets of one id under 1 MiB': {
    run: (service) => tiny(service, 300),
    env: { MAX_DATASET_MEMORY_BYTES: String(MIB) },
    allowed: ['507 insufficient_storage'],
    most: 64,
  },
}
export const env = { MAX_BYTES_IN_FLIGHT: String(256 * MIB) }
export const bounds = { rssBytes: 700 * MIB }

export const send = (service, { run }) => run(service)
export function expect({ answers, held }, must, { allowed = [], most }) {
  must.answered(answers, ['200', '201', '206', ...allowed])
  const made = answers.filter(({ status }) => status === 201)
  if (most !== undefined) must.atMost('what fits', made.length, most, 'datasets')
  if (held !== undefined) must.atMost('bytes in flight afterwards', held, MIB, 'bytes')
}
