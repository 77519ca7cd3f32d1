import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../../helper.js'
import { exchange, jsonRequest, open } from '../../../raw-http.js'

let service: TestService
afterEach(() => service.close())

async function start(env: Readonly<Record<string, string>>): Promise<number> {
  service = await testService(env)
  return listen(service)
}

async function metric(name: string): Promise<number> {
  const { body } = await service.app.inject('/metrics')
  return Number(
    body
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}

const MODELS = 'GET /v1/models HTTP/1.1\r\nHost: h\r\n\r\n'
const LIVE = MODELS.replace('/v1/models', '/health/live')

test.each([
  [{}, 72_000],
  [{ KEEP_ALIVE_SECONDS: '620', ADMIN_PORT: '9000' }, 620_000],
])('an idle connection is kept for KEEP_ALIVE_SECONDS, the operators’ too: %j', async (env, milliseconds) => {
  service = await testService(env)
  const { server, operators } = service.app
  for (const each of [server, operators?.server ?? server]) expect(each.keepAliveTimeout).toBe(milliseconds)
  expect(operators !== undefined).toBe('ADMIN_PORT' in env)
})

describe('connections beyond the limit', () => {
  test('are answered 503 with Retry-After, and there is room again when others close', async () => {
    const port = await start({ MAX_CONNECTIONS: '2' })
    const first = await open(port)
    const second = await open(port)
    const [refused] = await exchange(port, MODELS)
    expect(refused.headers.connection).toBe('close')
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('1')
    expect(JSON.parse(refused.body.toString()).error).toMatchObject({ code: 'overloaded', param: null })
    expect(await metric('inlet_refusals_total{reason="connections"}')).toBe(1)
    expect(await metric('inlet_errors_total{code="overloaded"}')).toBe(1)
    first.destroy()
    await once(first, 'close')
    const closing = MODELS.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    for (let answer = refused; answer.status !== 200; ) [answer] = await exchange(port, closing)
    second.destroy()
  })

  test('get one answer about health', async () => {
    const port = await start({ MAX_CONNECTIONS: '1' })
    const first = await open(port)
    for (const path of ['/health/live', '/v2/health/ready']) {
      const [answer] = await exchange(port, LIVE.replace('/health/live', path))
      expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
    }
    expect(await metric('inlet_refusals_total{reason="connections"}')).toBe(0)
    first.destroy()
  })

  test('are refused without a request too, if none comes', async () => {
    const port = await start({ MAX_CONNECTIONS: '1' })
    const first = await open(port)
    const [refused] = await exchange(port, '')
    expect([refused.status, refused.headers.connection]).toEqual([503, 'close'])
    expect(await metric('inlet_errors_total{code="overloaded"}')).toBe(1)
    first.destroy()
  })
})

describe('a reader that takes no byte', () => {
  // More than the sockets of both sides hold.
  const large = { context_length: 1024, stride: 1, tail: 'pad', input_ids: Array(1200).fill(1) }
  const request = (path: string, body: object) =>
    jsonRequest(path, JSON.stringify(body), ['Accept: application/octet-stream'])

  test('loses its connection, and what its answer held is given back; one that still sends does not', async () => {
    const port = await start({ WRITE_STALL_SECONDS: '1', EMBEDDING_DIM: '64' })
    const whole = request('/v1/input-embeddings', { input_ids: [1] })
    const sending = await open(port)
    sending.write(whole.slice(0, -3))
    const answer = once(sending, 'data')
    const stalled = await open(port)
    stalled.pause()
    stalled.write(request('/v1/input-embeddings', large))
    let refusals = 0
    for (; refusals === 0; refusals = await metric('inlet_refusals_total{reason="write_stall"}'))
      await sleep(20)
    expect(refusals).toBe(1)
    stalled.destroy()
    sending.write(whole.slice(-3))
    expect(String(await answer)).toContain('HTTP/1.1 200 OK')
    sending.destroy()
    let held = 1
    for (; held > 0; held = await metric('inlet_bytes_in_flight')) await sleep(20)
  })
})
