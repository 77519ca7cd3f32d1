import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServerProcess, startServer } from './server-process.js'

const { begin, CARD, callAt, KEY, sendCall, stateOf } = await import(
  new URL('../learning/proofs/trainer.mjs', import.meta.url).href
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
async function learned(service: Awaited<ReturnType<typeof started>>, ids = IDS) {
  for (const id of ids) {
    if (id !== 'default') await begin(service.port, id)
    else await service.admin('default/optimizer', 'PUT', { type: 'sgd', lr: 0.5, momentum: 0.9 })
    const numbers: Record<string, number> = {}
    for (const index of [0, 1, 2, 7, 8, 13]) {
      const call = callAt(index)
      numbers[call.writer] = (numbers[call.writer] ?? 0) + 1
      expect(await sendCall(service.port, id, call, numbers[call.writer])).toMatchObject({ status: 200 })
    }
  }
  return Promise.all(ids.map((id) => stateOf(service.port, id)))
}

async function killed({ server }: { readonly server: ServerProcess }) {
  server.kill()
  await server.exited
}

const folder = (name: string) => join(dir, 'learning', name)

test('models that learn are as they were after a kill, and after a stop', async () => {
  const first = await started()
  const states = await learned(first)
  expect((await first.admin('made/optimizer')).said).toMatchObject({ stored: 'disk', step: 1, pending: 2 })
  await killed(first)

  const second = await started()
  expect(await Promise.all(IDS.map((id) => stateOf(second.port, id)))).toEqual(states)
  expect((await second.admin('made')).said).toMatchObject({
    state: 'ready',
    model_version: '2',
    learning: { step: 1, pending: 2, writers: { a: 4, b: 2 } },
  })
  const again = await sendCall(second.port, 'default', callAt(7), 3)
  expect(again.status).toBe(200)
  expect(JSON.parse(again.body.toString())).toMatchObject({ model: 'default', step: 1, model_version: '2' })
  second.server.child.kill('SIGTERM')
  expect(await second.server.exited).toBe(0)

  const third = await started({ MODELS_LOAD: 'request' })
  expect(await Promise.all(IDS.map((id) => stateOf(third.port, id)))).toEqual(states)
})

test('what DELETE has ended is gone after a restart: the optimizer, or the model', async () => {
  const first = await started()
  await learned(first)
  expect(readdirSync(join(dir, 'learning')).sort()).toEqual(['default', 'made', 'org@other'])
  expect((await first.admin('default/optimizer', 'DELETE')).status).toBe(204)
  expect((await first.admin('made', 'DELETE')).status).toBe(204)
  expect((await first.admin('org%2Fother/optimizer', 'DELETE')).status).toBe(204)
  expect(readdirSync(join(dir, 'learning'))).toEqual([])
  await killed(first)

  const second = await started()
  expect((await second.admin('default')).said).toMatchObject({ state: 'ready', model_version: '1' })
  expect((await second.admin('default/optimizer')).said.error.code).toBe('optimizer_not_found')
  expect((await second.admin('made')).said.error.code).toBe('model_not_found')
})

test('a model whose files are damaged is failed, the log names the place, and the others go on', async () => {
  const first = await started()
  const [, , other] = await learned(first)
  await killed(first)
  for (const name of ['made', 'default']) {
    const log = readFileSync(join(folder(name), 'log.0'))
    log[log.length - 9] ^= 4
    writeFileSync(join(folder(name), 'log.0'), log)
  }

  const second = await started()
  expect(await stateOf(second.port, 'org%2Fother')).toBe(other)
  for (const name of ['made', 'default']) {
    const { said } = await second.admin(name)
    expect(said).toMatchObject({ state: 'failed', error: { code: 'model_failed' } })
    expect(said.error.message).not.toContain(dir)
    expect((await sendCall(second.port, name, callAt(0), 5)).status).toBe(422)
    expect(second.server.output.log).toMatch(
      new RegExp(`${name}/log\\.0, byte \\d+: the content of a record`),
    )
  }
  expect((await second.admin('default/optimizer', 'DELETE')).status).toBe(204)
  expect((await second.admin('default/load', 'POST')).said).toMatchObject({ state: 'ready' })
  expect((await second.admin('made', 'DELETE')).status).toBe(204)
  expect(readdirSync(join(dir, 'learning'))).toEqual(['org@other'])
})

test('a call that the quota has no room for has no effect, and is answered when there is room', async () => {
  const first = await started({ DATA_QUOTA_BYTES: '1200000' })
  await begin(first.port, 'made')
  let index = 0
  let state = await stateOf(first.port, 'made')
  const number = () => 1 + index
  const send = (port: number) => sendCall(port, 'made', { ...callAt(8 * index), writer: 'a' }, number())
  let answer = await send(first.port)
  for (; answer.status === 200; answer = await send(first.port)) {
    index++
    state = await stateOf(first.port, 'made')
  }
  expect(answer.status).toBe(507)
  expect(JSON.parse(answer.body.toString()).error).toMatchObject({ code: 'insufficient_storage' })
  expect(await stateOf(first.port, 'made')).toBe(state)
  await killed(first)

  const second = await started()
  expect(await stateOf(second.port, 'made')).toBe(state)
  expect((await send(second.port)).status).toBe(200)
})

test('a second process on the same folder does not get a model that learns in the first', async () => {
  const first = await started()
  const [state] = await learned(first, ['made'])
  const second = await started()
  expect((await second.admin('made')).said).toMatchObject({ state: 'failed' })
  expect((await second.admin('made', 'DELETE')).said.error.message).toContain('in another process')
  expect(await stateOf(first.port, 'made')).toBe(state)
})
