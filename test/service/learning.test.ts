import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServerProcess, startServer } from './server-process.js'

const { begin, CARD, callAt, KEY, sendCall, stateOf } = await import(
  new URL('../features/learning/proofs/trainer.mjs', import.meta.url).href
)

const IDS = ['made', 'default', 'org%2Fother']

let dir: string
let servers: ServerProcess[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'inlet-learning-'))
  servers = []
})
afterEach(() => {
  for (const server of servers) server.kill()
  rmSync(dir, { recursive: true })
})

/** @returns a service on this folder, when its first thread serves */
async function started(env: Readonly<Record<string, string>> = {}) {
  const { vocab_size, embedding_dim, max_position_embeddings } = CARD
  const sizes = {
    VOCAB_SIZE: String(vocab_size),
    EMBEDDING_DIM: String(embedding_dim),
    MAX_POSITION_EMBEDDINGS: String(max_position_embeddings),
  }
  const server = startServer({ ADMIN_KEY: KEY, DATA_DIR: dir, THREADS: '1', ...sizes, ...env })
  servers.push(server)
  const port = await server.port()
  await server.ready()
  const admin = async (path: string, method = 'GET', body?: object) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models/${path}`, init)
    const text = await answer.text()
    return { status: answer.status, said: text === '' ? undefined : JSON.parse(text) }
  }
  return { server, port, admin }
}

/** Lets each model learn from a few calls, of which some are pending. */
async function learned(service: Awaited<ReturnType<typeof started>>) {
  for (const id of IDS) {
    if (id !== 'default') await begin(service.port, id)
    else await service.admin('default/optimizer', 'PUT', { type: 'sgd', lr: 0.5, momentum: 0.9 })
    const numbers: Record<string, number> = {}
    for (const index of [0, 1, 2, 7, 8, 13]) {
      const call = callAt(index)
      numbers[call.writer] = (numbers[call.writer] ?? 0) + 1
      expect(await sendCall(service.port, id, call, numbers[call.writer])).toMatchObject({ status: 200 })
    }
  }
  return Promise.all(IDS.map((id) => stateOf(service.port, id)))
}

async function killed({ server }: { readonly server: ServerProcess }) {
  server.kill()
  await server.exited
}

const fileOf = (name: string) => join(dir, 'learning', name, 'checkpoint.safetensors')
const WRITERS = { a: 4, b: 2 }

test('a model that learns is after a kill where its checkpoint left it, after a stop where it was, and gone where DELETE removed it', async () => {
  const first = await started()
  const states = await learned(first)
  expect((await first.admin('made')).said.learning).toMatchObject({ step: 1, pending: 2, checkpoint: null })
  for (const id of IDS) {
    expect(await first.admin(`${id}/checkpoint`, 'POST')).toMatchObject({
      status: 200,
      said: { model: decodeURIComponent(id), model_version: '2', step: 1, writers: WRITERS },
    })
  }
  expect((await sendCall(first.port, 'made', callAt(0), 5)).status).toBe(200)
  expect((await first.admin('made')).said.learning).toMatchObject({
    ...{ pending: 3, writers: { ...WRITERS, a: 5 } },
    checkpoint: { step: 1, model_version: '2', writers: WRITERS },
  })
  await killed(first)

  const second = await started()
  expect(await Promise.all(IDS.map((id) => stateOf(second.port, id)))).toEqual(states)
  expect((await second.admin('made')).said).toMatchObject({
    state: 'ready',
    model_version: '2',
    learning: { step: 1, pending: 2, writers: WRITERS, checkpoint: { step: 1, writers: WRITERS } },
  })
  const again = await sendCall(second.port, 'default', callAt(7), 3)
  expect(again.status).toBe(200)
  expect(JSON.parse(again.body.toString())).toMatchObject({ model: 'default', step: 1, model_version: '2' })
  expect((await sendCall(second.port, 'made', callAt(0), 5)).status).toBe(200)
  const after = await stateOf(second.port, 'made')
  second.server.child.kill('SIGTERM')
  expect(await second.server.exited).toBe(0)

  const third = await started({ MODELS_LOAD: 'request' })
  expect(await Promise.all(IDS.map((id) => stateOf(third.port, id)))).toEqual([after, ...states.slice(1)])
  expect(readdirSync(join(dir, 'learning')).sort()).toEqual(['default', 'made', 'org@other'])
  expect((await third.admin('default/optimizer', 'DELETE')).status).toBe(204)
  expect((await third.admin('made', 'DELETE')).status).toBe(204)
  expect((await third.admin('org%2Fother/optimizer', 'DELETE')).status).toBe(204)
  expect(readdirSync(join(dir, 'learning'))).toEqual([])
  await killed(third)

  const fourth = await started()
  expect((await fourth.admin('default')).said).toMatchObject({ state: 'ready', model_version: '1' })
  expect((await fourth.admin('default/optimizer')).said.error.code).toBe('optimizer_not_found')
  expect((await fourth.admin('made')).said.error.code).toBe('model_not_found')
})

test('a model that learns in another process is failed, and so is one whose checkpoint is damaged: the log names the file, and the others go on, with the checkpoint before where the quota has no room for another', async () => {
  const first = await started()
  const [made, , other] = await learned(first)
  for (const id of IDS) await first.admin(`${id}/checkpoint`, 'POST')
  const beside = await started()
  expect((await beside.admin('made')).said).toMatchObject({ state: 'failed' })
  expect((await beside.admin('made', 'DELETE')).said.error.message).toContain('in another process')
  await begin(first.port, 'new')
  await beside.admin('new', 'PUT', CARD)
  const taken = await beside.admin('new/optimizer', 'PUT', { type: 'adamw' })
  expect([taken.status, taken.said.error.message]).toEqual([
    422,
    expect.stringContaining('in another process'),
  ])
  expect(await stateOf(first.port, 'made')).toBe(made)
  expect((await first.admin('new', 'DELETE')).status).toBe(204)
  await killed(beside)
  await killed(first)
  for (const name of ['made', 'default'])
    writeFileSync(fileOf(name), readFileSync(fileOf(name)).subarray(0, -9))

  const second = await started({ DATA_QUOTA_BYTES: '1000' })
  expect(await stateOf(second.port, 'org%2Fother')).toBe(other)
  const before = readFileSync(fileOf('org@other'))
  expect((await second.admin('org%2Fother/checkpoint', 'POST')).said.error.code).toBe('insufficient_storage')
  expect(readFileSync(fileOf('org@other')).equals(before)).toBe(true)
  for (const name of ['made', 'default']) {
    const { said } = await second.admin(name)
    expect(said).toMatchObject({ state: 'failed', error: { code: 'model_failed' } })
    expect(said.error.message).not.toContain(dir)
    expect((await sendCall(second.port, name, callAt(0), 5)).status).toBe(422)
    expect(second.server.output.log).toContain(fileOf(name))
  }
  expect((await second.admin('default/optimizer', 'DELETE')).status).toBe(204)
  expect((await second.admin('default/load', 'POST')).said).toMatchObject({ state: 'ready' })
  expect((await second.admin('made', 'DELETE')).status).toBe(204)
  expect(readdirSync(join(dir, 'learning'))).toEqual(['org@other'])
})
