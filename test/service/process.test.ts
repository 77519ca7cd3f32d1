import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { MEDIA_TYPES } from '../decode.js'
import { jsonRequest, open } from '../raw-http.js'
import { until } from '../until.js'
import { type ServerProcess, startServer, THREADS } from './server-process.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64' }

let server: ServerProcess | undefined
afterEach(async () => {
  server?.kill()
  await server?.exited
  server = undefined
})

function start(env: Readonly<Record<string, string>>): ServerProcess {
  server = startServer(env)
  return server
}

describe('the start', () => {
  test('opens the port before the tables are there, and is not ready', async () => {
    // A quarter of a gigabyte of tables: time enough to look at the service while they are made.
    const { get, output } = start({ EMBEDDING_DIM: '1280', THREADS: '1' })
    const live = await get('/health/live')
    expect([live.status, await live.json()]).toEqual([200, { status: 'live' }])
    const url = new URL('/v1/input-embeddings', live.url)
    const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"a"}' }
    // All at once: one after the other they might outlast the making.
    const positions = '/v1/models/default/position-embeddings?context_length=1'
    const [ready, rows, models, embedded, nothing] = await Promise.all([
      ...['/health/ready', positions, '/v1/models'].map(get),
      fetch(url, call),
      get('/v1/nothing'),
    ])
    for (const early of [ready, rows] as Response[]) {
      expect([early.url, early.status, early.headers.get('retry-after')]).toEqual([early.url, 503, '1'])
      const { error } = (await early.json()) as { error: Record<string, unknown> }
      expect(error).toMatchObject({ type: 'unavailable_error', code: 'loading', param: null })
    }
    const { data } = (await models!.json()) as { data: { id: string; state: string }[] }
    expect(data[0]).toMatchObject({ id: 'default', state: 'loading' })
    expect([embedded!.status, nothing!.status]).toEqual([503, 404])

    await server?.ready()
    expect(await (await get('/health/ready')).json()).toEqual({ status: 'ready' })
    expect((await fetch(url, call)).status).toBe(200)
    expect(output.errors).toBe('')
  })

  test('needs no configuration', async () => {
    const { get } = start({})
    await server?.ready()
    const { data } = (await (await get('/v1/models')).json()) as { data: Record<string, unknown>[] }
    expect(data[0]).toMatchObject({ id: 'default', encoding: 'gpt2', vocab_size: 50257, embedding_dim: 256 })
  })

  test.each([
    [{ PORT: '70000' }, /^inlet: PORT must be an integer from 0 to 65535\. Given: "70000"$/m],
    [{ EMBEDDING_DIM: '100000' }, /^inlet: .*(4 GiB|MAX_TABLE_BYTES)/m],
  ])('stops with %j and names it', async (env, message) => {
    const { exited, output } = start(env)
    expect(await exited).toBe(1)
    expect(output.errors).toMatch(message)
  })
})

test('a signal while the tables are made ends the start with 0', async () => {
  const { child, exited, output, port } = start({ EMBEDDING_DIM: '1280', THREADS: '2' })
  await port()
  child.kill('SIGINT')
  expect(await exited).toBe(0)
  expect(output.log).not.toContain('"ready"')
  expect(output.errors).toBe('')
})

const PATH = '/v1/input-embeddings'
/** 64 MiB from a small request. */
const LARGE = {
  input_ids: [1],
  context_length: 256 * 1024,
  tail: 'pad',
  pad_token_id: 7,
  position_embedding: 'none',
}

/** A download that has begun and is not read on. */
async function slowDownload(port: number) {
  const socket = await open(port)
  socket.write(jsonRequest(PATH, JSON.stringify(LARGE), [`Accept: ${MEDIA_TYPES.raw}`]))
  await once(socket, 'readable')
  const first = socket.read() as Buffer
  return { socket, first, bytes: first.length - first.indexOf('\r\n\r\n') - 4 }
}

test('a second signal does not wait', async () => {
  const { child, exited, output, port } = start({ ...SMALL, THREADS })
  await server?.ready()
  const { socket } = await slowDownload(await port())
  child.kill('SIGTERM')
  await until(() => output.log.includes('stopping'))
  child.kill('SIGTERM')
  expect(await exited).toBe(1)
  socket.destroy()
})
