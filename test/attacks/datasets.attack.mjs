import { readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { send as sendStreamed } from '../datasets/proofs/client.mjs'
import { codeOf } from './harness/answers.mjs'
import { ADMIN_KEY } from './harness/model-calls.mjs'

// Corpora whose documents, recipes and readers are as many, or as large, as they may be. DATASETS_SCALE=10 makes the
// large ones ten times larger.

const SCALE = Number(process.env.DATASETS_SCALE ?? 1)
const DATA_DIR = join(tmpdir(), `inlet-attack-datasets-${process.pid}`)
process.once('exit', () => rmSync(DATA_DIR, { recursive: true, force: true }))

const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' }
const IDS = { 'Content-Type': 'application/octet-stream' }
const RAW = { Accept: 'application/octet-stream' }
const ADMIN = { Authorization: `Bearer ${ADMIN_KEY}` }
const MIB = 2 ** 20

async function upload({ port }, query, headers, body) {
  const { problem, ...answer } = await sendStreamed(port, `/v1/datasets?${query}`, { headers, body })
  const given = { ...answer, code: codeOf(answer), bytes: answer.body.length, problem }
  return { answer: given, id: answer.status < 300 ? JSON.parse(answer.body).id : undefined }
}

function* repeated(text, bytes) {
  const block = Buffer.alloc(MIB, text)
  for (let sent = 0; sent < bytes; sent += MIB) yield block.subarray(0, Math.min(MIB, bytes - sent))
}

/** Uint16 ids: documents of `length` tokens, the last one the separator 0. */
function documents(count, length, seed = 0) {
  const ids = Uint16Array.from({ length: count * length }, (_, i) =>
    i % length === length - 1 ? 0 : 1 + ((i + seed) % 50_000),
  )
  return [Buffer.from(ids.buffer)]
}

const batches = (id, recipe, index) =>
  `/v1/datasets/${id}/batches${index === undefined ? '' : `/${index}`}?${new URLSearchParams(recipe)}`
const read = (service, id, recipe, index = 0) =>
  service.call({
    path: batches(id, { outputs: 'input_ids', pad_token_id: 0, ...recipe }, index),
    headers: RAW,
  })
const plan = (service, id, recipe) => service.call({ path: batches(id, { pad_token_id: 0, ...recipe }) })

/** Calls `one` with 0 … count − 1, `atOnce` side by side. */
async function each(count, atOnce, one) {
  const answers = []
  let next = 0
  const worker = async () => {
    while (next < count) answers.push(await one(next++))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return answers
}

async function shortLines(service) {
  const { answer, id } = await upload(
    service,
    'encoding=gpt2&documents=lines',
    TEXT,
    repeated('a\n', 2e7 * SCALE),
  )
  const answers = [answer]
  for (const recipe of [{ tail: 'pad' }, { packing: 'best_fit' }, { packing: 'concat' }])
    answers.push(
      await read(service, id, { context_length: 8, batch_size: 16, shuffle: 'index', seed: 1, ...recipe }),
    )
  return { answers }
}

async function longLine(service, type) {
  const isJson = type === 'application/x-ndjson'
  const body = repeated('qx', 2 ** 30 * SCALE)
  const lines = isJson ? [Buffer.from('{"text":"'), ...body] : body
  const query = `encoding=gpt2${isJson ? '' : '&documents=lines'}`
  const { answer, id } = await upload(service, query, { 'Content-Type': type }, lines)
  if (id === undefined) return { answers: [answer] }
  return {
    answers: [answer, await read(service, id, { context_length: 1024, batch_size: 8, packing: 'best_fit' })],
  }
}

async function contextOfOne(service) {
  const body = documents(400_000 * SCALE, 5)
  const { answer, id } = await upload(service, 'dtype=uint16&separator_id=0', IDS, body)
  const recipe = { context_length: 1, batch_size: 1000, packing: 'best_fit', shuffle: 'index', seed: 3 }
  const answers = [answer, await plan(service, id, recipe)]
  for (let i = 0; i < 4; i++) answers.push(await read(service, id, { ...recipe, num_batches: 1024 }, i))
  return { answers }
}

async function manyRecipes(service) {
  const { answer, id } = await upload(service, 'dtype=uint16&separator_id=0', IDS, documents(100_000, 10))
  const answers = await each(1500, 16, (i) => {
    const context_length = 2 + (i % 750)
    const long_documents = i < 750 ? 'split' : 'truncate'
    return plan(service, id, { context_length, batch_size: 1, packing: 'best_fit', long_documents })
  })
  const folder = join(DATA_DIR, 'datasets', id)
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  return { answers: [answer, ...answers], folderBytes: bytes }
}

async function widest(service) {
  const { answer, id } = await upload(service, 'dtype=uint16&separator_id=0', IDS, documents(1000, 20_000))
  const answers = await each(60, 6, (i) => {
    const [context_length, batch_size] = [
      [65_536, 16],
      [1024, 16],
      [64, 1024],
    ][i % 3]
    return read(service, id, {
      context_length,
      batch_size,
      num_batches: 1024,
      packing: 'concat',
      tail: 'pad',
    })
  })
  return { answers: [answer, ...answers] }
}

async function deletedUnderReaders(service) {
  const put = () => upload(service, 'dtype=uint16&separator_id=0', IDS, documents(20_000, 500))
  const { answer, id } = await put()
  const answers = [answer]
  let isOver = false
  const reading = each(8, 8, async (i) => {
    while (!isOver) {
      if (i < 2) answers.push(await service.call({ path: `/v1/datasets/${id}/tokens`, headers: RAW }))
      else
        answers.push(
          await read(service, id, { context_length: 256, batch_size: 64, shuffle: 'index', seed: i }, i),
        )
    }
  })
  for (let i = 0; i < 20; i++) {
    answers.push(await service.call({ method: 'DELETE', path: `/v1/datasets/${id}`, headers: ADMIN }))
    answers.push((await put()).answer)
  }
  isOver = true
  await reading
  return { answers }
}

export const name = 'datasets'
export const about = 'documents, recipes and readers of datasets, as many or as large as they may be'
export const env = { DATA_DIR, ADMIN_KEY }
export const variants = {
  'ten million lines of a byte': { run: shortLines, allowed: ['200', '201', '507 insufficient_memory'] },
  'a line of a gigabyte': { run: (service) => longLine(service, 'text/plain'), allowed: ['200', '201'] },
  'the same as NDJSON': { run: (service) => longLine(service, 'application/x-ndjson'), allowed: ['4xx'] },
  'context_length 1 under best_fit': { run: contextOfOne, allowed: ['200', '201'] },
  'fifteen hundred packings': { run: manyRecipes, allowed: ['200', '201'], mostBytes: 80 * MIB },
  '1,024 batches of the widest rows': { run: widest, allowed: ['200', '201', '4xx'] },
  'deletion under readers': {
    run: deletedUnderReaders,
    allowed: ['200', '201', '204', '404 dataset_not_found', 'cut'],
  },
}
export const limitMs = 600_000

export const prepare = (variant) => variant

export const send = (service, { run }) => run(service)

export function expect({ answers, folderBytes = 0 }, must, { allowed, mostBytes = 0 }) {
  must.answeredOrRefused(answers, allowed)
  must.atMost('the dataset’s folder', folderBytes / MIB, mostBytes / MIB, 'MiB')
}
