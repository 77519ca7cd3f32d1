import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServerProcess, startServer } from './server-process.js'

const { begin, CARD, callAt, KEY, OPTIMIZER, sendCall, stateOf } = await import(
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
    for (const index of [0, 1, 2, 7, 8, 13])
      expect(await sendCall(service.port, id, callAt(index), `${index}`)).toMatchObject({ status: 200 })
  }
  return Promise.all(IDS.map((id) => stateOf(service.port, id)))
}

async function killed({ server }: { readonly server: ServerProcess }) {
  server.kill()
  await server.exited
}

const fileOf = (name: string) => join(dir, 'learning', name, 'checkpoint.safetensors')

test('a model that learns is after a kill where its checkpoint left it, after a stop where it was, and gone where DELETE removed it', async () => {
  const first = await started()
  const states = await learned(first)
  expect((await first.admin('made')).said.learning).toMatchObject({ step: 1, pending: 2, checkpoint: null })
  for (const id of IDS) {
    expect(await first.admin(`${id}/checkpoint`, 'POST')).toMatchObject({
      status: 200,
      said: { model: decodeURIComponent(id), model_version: '2', step: 1 },
    })
  }
  const lost = await sendCall(first.port, 'made', callAt(7), 'lost')
  expect(JSON.parse(lost.body.toString())).toMatchObject({ step: 2, model_version: '3' })
  expect((await first.admin('made')).said.learning).toMatchObject({
    ...{ step: 2, pending: 0 },
    checkpoint: { step: 1, model_version: '2' },
  })
  await killed(first)

  const second = await started()
  expect(await Promise.all(IDS.map((id) => stateOf(second.port, id)))).toEqual(states)
  expect((await second.admin('made')).said).toMatchObject({
    state: 'ready',
    model_version: '2',
    learning: { step: 1, pending: 2, checkpoint: { step: 1, model_version: '2' } },
  })
  // The same step again has the same bits; its version is none that was given to others before the kill.
  const again = JSON.parse((await sendCall(second.port, 'made', callAt(7), 'lost')).body.toString())
  expect(again).toMatchObject({ step: 2, rows_updated: JSON.parse(lost.body.toString()).rows_updated })
  expect(Number(again.model_version)).toBeGreaterThan(1e12)
  const after = await stateOf(second.port, 'made')
  second.server.child.kill('SIGTERM')
  expect(await second.server.exited).toBe(0)

  const third = await started({ MODELS_LOAD: 'request' })
  expect(await Promise.all(IDS.map((id) => stateOf(third.port, id)))).toEqual([after, ...states.slice(1)])
  expect((await third.admin('made')).said.model_version).toBe(again.model_version)
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

test('two processes on one DATA_DIR: the second says that the model learns in another one, and what that one saved stays', async () => {
  const first = await started()
  const beside = await started() // both have the configuration's model, of which nothing is on the disk yet
  await first.admin('default/optimizer', 'PUT', OPTIMIZER)
  for (const index of [0, 7, 1]) await sendCall(first.port, 'default', callAt(index), `${index}`)
  await first.admin('default/checkpoint', 'POST')
  const saved = await stateOf(first.port, 'default')
  const file = readFileSync(fileOf('default'))
  const answers = async () => [
    await beside.admin('default/optimizer', 'PUT', OPTIMIZER),
    await beside.admin('default/checkpoint', 'POST'),
    await beside.admin('default/optimizer', 'DELETE'),
  ]
  for (const { status, said } of await answers()) {
    expect([status, said.error.code]).toEqual([409, 'model_in_use'])
    expect(said.error.message).toContain('in another process')
  }
  await killed(first)

  // What the first one saved is taken over, and no call that fails or begins anew removes it.
  const broken = await fetch(`http://127.0.0.1:${beside.port}/v1/models/default/checkpoint`, {
    ...{ method: 'PUT', body: 'broken' },
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/vnd.safetensors' },
  })
  expect(broken.status).toBe(400)
  expect(readFileSync(fileOf('default')).equals(file)).toBe(true)
  const other = await beside.admin('default/optimizer', 'PUT', { type: 'sgd' })
  expect([other.status, other.said.error.code]).toEqual([409, 'optimizer_exists'])
  expect((await beside.admin('default/optimizer', 'PUT', OPTIMIZER)).said).toMatchObject({
    ...{ step: 1, pending: 1 },
  })
  expect(await stateOf(beside.port, 'default')).toBe(saved)
  await beside.admin('default/checkpoint', 'POST')
  await killed(beside)
  const third = await started()
  expect(await stateOf(third.port, 'default')).toBe(saved)
})

test('a checkpoint that is damaged: the log names the file, and other models go on; SIGTERM without room for another keeps the one before and ends with 1', async () => {
  const first = await started()
  const [, , other] = await learned(first)
  for (const id of IDS) await first.admin(`${id}/checkpoint`, 'POST')
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
    expect((await sendCall(second.port, name, callAt(0), 'k')).status).toBe(422)
    expect(second.server.output.log).toContain(fileOf(name))
  }
  expect((await second.admin('default/optimizer', 'DELETE')).status).toBe(204)
  expect((await second.admin('default/load', 'POST')).said).toMatchObject({ state: 'ready' })
  expect((await second.admin('made', 'DELETE')).status).toBe(204)
  expect(readdirSync(join(dir, 'learning'))).toEqual(['org@other'])
  await sendCall(second.port, 'org%2Fother', callAt(0), 'k')
  second.server.child.kill('SIGTERM')
  expect(await second.server.exited).toBe(1)
  expect(readFileSync(fileOf('org@other')).equals(before)).toBe(true)
})
