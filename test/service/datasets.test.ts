import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.js'
import { ownServers } from './own.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '8', THREADS: '1' }
const IDS = 'application/octet-stream'
const start = ownServers()

/** A DATA_DIR, and the names in its folder of datasets. */
function dataFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const datasets = join(folder, 'datasets')
  return { DATA_DIR: folder, datasets, names: () => readdirSync(datasets) }
}

const BODY = Buffer.from(Uint16Array.from({ length: 5000 }, (_, i) => i % 900).buffer)
const QUERY = 'dtype=uint16'

async function uploadTo(port: number, body: Buffer = BODY) {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/datasets?${QUERY}`, {
    method: 'POST',
    headers: { 'content-type': IDS },
    body: new Uint8Array(body),
  })
  return { status: answer.status, card: (await answer.json()) as { id: string; [name: string]: unknown } }
}

/** An upload whose bytes come one after the other. */
function slowUpload(port: number) {
  const options = { port, method: 'POST', path: `/v1/datasets?${QUERY}`, headers: { 'content-type': IDS } }
  const sent = request({ host: '127.0.0.1', agent: false, ...options })
  const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode!, body })
    })
  })
  answer.catch(() => {})
  return { sent, answer }
}

/** More than is gathered before the first write. */
const LONG = Buffer.alloc(1 << 20)

const isUpload = (name: string) => name.startsWith('.aside-')
const batchPath = (id: string) =>
  `/v1/datasets/${id}/batches/3?context_length=8&batch_size=4&shuffle=index&seed=1`

test('a restart keeps all datasets, more than file descriptors too, removes uploads that were cut off, and leaves another layout alone', async () => {
  const { DATA_DIR, datasets, names } = dataFolder()
  const first = start({ ...SMALL, DATA_DIR })
  const port = await first.port()
  const { status, card } = await uploadTo(port)
  expect(status).toBe(201)
  const batch = await (await first.get(batchPath(card.id))).text()
  const { sent } = slowUpload(port)
  sent.write(LONG)
  await until(() => names().some(isUpload), 'a half-written upload')
  first.kill()
  await first.exited
  sent.destroy()
  expect(names().some(isUpload)).toBe(true)

  const cardOf = (id: string) => join(datasets, id, 'dataset.json')
  const write = (id: string, text: string) => {
    mkdirSync(join(datasets, id))
    writeFileSync(cardOf(id), text)
  }
  const text = readFileSync(cardOf(card.id), 'utf8')
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const ids = Array.from(
    { length: 300 },
    (_, i) => `ds_${letters[Math.floor(i / 26)]}${letters[i % 26]}${'a'.repeat(24)}`,
  )
  for (const id of ids) write(id, text.replaceAll(card.id, id))
  const newer = `ds_${'b'.repeat(26)}`
  const newerCard = JSON.stringify({ layout: 99, id: newer })
  write(newer, newerCard)

  const second = start({ ...SMALL, DATA_DIR }, { descriptors: 192 })
  await second.port()
  expect(names().sort()).toEqual([...ids, card.id, newer].sort())
  expect(second.output.log).toContain('an unfinished upload has been removed')
  const { data } = (await (await second.get('/v1/datasets?limit=1000')).json()) as { data: { id: string }[] }
  expect(data.map(({ id }) => id).sort()).toEqual([...ids, card.id].sort())
  expect(await (await second.get(`/v1/datasets/${card.id}`)).json()).toEqual(card)
  expect(await (await second.get(batchPath(card.id))).text()).toBe(batch)
  expect((await second.get(`/v1/datasets/${newer}`)).status).toBe(404)
  const line = second.output.log.split('\n').find((text) => text.includes('another version of the service'))
  expect(JSON.parse(line!)).toMatchObject({ path: join(datasets, newer), layout: 99 })
  expect(readFileSync(cardOf(newer), 'utf8')).toBe(newerCard)
})

test('two processes on one DATA_DIR: each sees what the other uploads and deletes, and leaves its unfinished upload', async () => {
  const { DATA_DIR, names } = dataFolder()
  const first = start({ ...SMALL, DATA_DIR })
  const port = await first.port()
  const { sent, answer } = slowUpload(port)
  sent.write(LONG)
  await until(() => names().some(isUpload), 'a half-written upload')

  const second = start({ ...SMALL, DATA_DIR })
  const other = await second.port()
  expect(names().filter(isUpload)).toHaveLength(1)
  sent.end()
  const { status, body } = await answer
  expect(status).toBe(201)
  const { id } = JSON.parse(body)
  expect((await second.get(batchPath(id))).status).toBe(200)

  const both = await Promise.all([uploadTo(port), uploadTo(other)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 201])
  expect(both[0]!.card).toEqual(both[1]!.card)
  expect(names().filter(isUpload)).toEqual([])
  await fetch(`http://127.0.0.1:${other}/v1/datasets/${id}`, { method: 'DELETE' })
  let seen = 200
  while (seen === 200) {
    await delay(50)
    seen = (await first.get(batchPath(id))).status // it is taken to be there for a second at most
  }
  expect(seen).toBe(404)
})

test('without DATA_DIR a temporary folder goes with the process; what a killed one left, the next one removes', async () => {
  const { DATA_DIR: TMPDIR } = dataFolder()
  const names = () => readdirSync(TMPDIR).filter((name) => name.startsWith('inlet-datasets-'))
  const env = { ...SMALL, TMPDIR }
  const first = start({ ...env, THREADS: '2' })
  await first.allServe()
  await expectAllThreads(await first.port())
  const { status, card } = await uploadTo(await first.port())
  expect([status, card.stored, names().length]).toEqual([201, 'memory', 1])
  const left = names()
  first.kill()
  await first.exited
  expect(names()).toEqual(left)

  const second = start(env)
  expect((await uploadTo(await second.port())).status).toBe(201)
  expect(names()).toHaveLength(1)
  expect(names()).not.toEqual(left)
  second.child.kill('SIGTERM')
  await second.exited
  expect(names()).toEqual([])
})

test('threads: all read what one uploads, none what one has deleted; an upload may take longer than REQUEST_DEADLINE_SECONDS while bytes arrive, and leaves nothing when they stop or its client leaves', async () => {
  const { DATA_DIR, names } = dataFolder()
  const server = start({ ...SMALL, THREADS: '2', DATA_DIR, REQUEST_DEADLINE_SECONDS: '3' })
  const port = await server.port()
  await server.allServe()
  await expectAllThreads(port)

  const going = slowUpload(port)
  const stopping = slowUpload(port)
  stopping.sent.write(LONG)
  let isStopped = false
  stopping.answer.then(() => (isStopped = true))
  let tokens = 0
  for (; !isStopped; tokens += 500) {
    going.sent.write(Buffer.alloc(1000, 1))
    await delay(100)
  }
  going.sent.end()
  const { status, body } = await going.answer
  expect([status, JSON.parse(body).num_tokens]).toEqual([201, tokens])
  const stopped = await stopping.answer
  expect([stopped.status, JSON.parse(stopped.body).error.code]).toEqual([504, 'deadline_exceeded'])
  await until(() => names().length === 1, 'the unfinished one to be gone')
  const leaving = slowUpload(port)
  leaving.sent.write(LONG)
  await until(() => names().some(isUpload), 'a half-written upload')
  leaving.sent.destroy()
  await until(() => names().length === 1, 'what its client has left to be gone')
})

/** Uploads a dataset, which all threads read, and deletes it. */
async function expectAllThreads(port: number) {
  const { card } = await uploadTo(port)
  // Each on a separate connection: the listener deals them to both threads.
  const read = () =>
    fetch(`http://127.0.0.1:${port}${batchPath(card.id)}`, { headers: { connection: 'close' } })
  const texts = await Promise.all(Array.from({ length: 16 }, async () => (await read()).text()))
  expect(new Set(texts).size).toBe(1)
  const gone = await fetch(`http://127.0.0.1:${port}/v1/datasets/${card.id}`, { method: 'DELETE' })
  expect(gone.status).toBe(204)
  const statuses = await Promise.all(Array.from({ length: 16 }, async () => (await read()).status))
  expect(new Set(statuses)).toEqual(new Set([404]))
}

test('DATASETS=off: no routes, and no folder', async () => {
  const { DATA_DIR, datasets } = dataFolder()
  const server = start({ ...SMALL, DATA_DIR, DATASETS: 'off' })
  const answer = await server.get('/v1/datasets')
  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
    404,
    'not_found',
  ])
  expect((await uploadTo(await server.port())).status).toBe(404)
  expect(() => readdirSync(datasets)).toThrow()
})
