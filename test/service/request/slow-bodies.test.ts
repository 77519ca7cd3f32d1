import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../../src/service/features.js'
import { endIfSlow, LEAST_BYTES, LEAST_BYTES_SECONDS } from '../../../src/service/request/body/slow-bodies.js'
import { RequestClaim } from '../../../src/service/request/claims.js'
import { Load } from '../../../src/service/request/load.js'
import { listen, type TestService, testService } from '../../helper.js'
import { until } from '../../until.js'

const MIB = 2 ** 20
const WINDOW_MS = 1000 * LEAST_BYTES_SECONDS

/** A request with a chunked body whose reading `isPaused` or not. */
function request() {
  const raw = Object.assign(new EventEmitter(), {
    headers: { 'transfer-encoding': 'chunked' },
    paused: false,
    isPaused: () => raw.paused,
  })
  const load = new Load(readConfig({}), { waited() {}, refused() {} })
  const claim = new RequestClaim(load, true)
  const errors: unknown[] = []
  claim.onAbort((error) => errors.push(error))
  endIfSlow({ raw, claim } as unknown as FastifyRequest)
  const come = (bytes: number) => raw.emit('data', Buffer.alloc(bytes))
  return { raw, come, errors, claim }
}

describe('a body of which too little comes', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  test('ends its request, with both numbers', () => {
    const { come, errors } = request()
    come(LEAST_BYTES)
    vi.advanceTimersByTime(WINDOW_MS)
    come(LEAST_BYTES - 1)
    expect(errors).toEqual([])
    vi.advanceTimersByTime(WINDOW_MS)
    expect(errors).toMatchObject([
      {
        code: 'request_timeout',
        message: expect.stringMatching(new RegExp(`${LEAST_BYTES} bytes.*Came: ${LEAST_BYTES - 1}`)),
      },
    ])
  })

  test('goes on where it was not read', () => {
    const { raw, errors, claim } = request()
    raw.paused = true
    raw.emit('pause')
    vi.advanceTimersByTime(2 * WINDOW_MS)
    raw.paused = false
    vi.advanceTimersByTime(WINDOW_MS) // it was paused when this time began
    expect(errors).toEqual([])
    vi.advanceTimersByTime(WINDOW_MS)
    expect(errors).toHaveLength(1)
    claim.end()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('goes on once it is whole', () => {
    const { raw, errors } = request()
    raw.emit('end')
    vi.advanceTimersByTime(3 * WINDOW_MS)
    expect([errors, vi.getTimerCount()]).toEqual([[], 0])
  })
})

describe('the room of other callers', () => {
  let service: TestService
  let port: number
  const sockets: Socket[] = []
  beforeAll(async () => {
    const env = { MAX_BYTES_IN_FLIGHT: String(64 * MIB), QUEUE_TIMEOUT_MS: '60000' }
    service = await testService(env, { hasDatasets: true })
    port = await listen(service)
  })
  afterAll(async () => {
    for (const socket of sockets) socket.resetAndDestroy()
    await service.close()
  })
  const send = (head: string, body: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    sockets.push(socket)
    socket.write(`${head} HTTP/1.1\r\nHost: a\r\n${body}`)
    return socket
  }
  const upload = (text: string) =>
    fetch(`http://127.0.0.1:${port}/v1/input-embeddings?context_length=1024&outputs=window_starts`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: text,
    })

  const chunked = (byte: string) => `Transfer-Encoding: chunked\r\n\r\n1\r\n${byte}\r\n`
  const bodies: Record<string, [request: string, rest: string]> = {
    'announced bodies': [
      'POST /v1/tokenize',
      `Content-Type: application/json\r\nContent-Length: ${2 * MIB}\r\n\r\n{`,
    ],
    uploads: ['POST /v1/datasets?encoding=gpt2', `Content-Type: application/x-ndjson\r\n${chunked('{')}`],
    'packed bodies': [
      'POST /v1/input-embeddings?context_length=4',
      `Content-Type: text/plain\r\nContent-Encoding: br\r\n${chunked('\x1b')}`,
    ],
  }
  test.each(Object.entries(bodies))('is not taken by %s that do not come', async (_, [request, rest]) => {
    for (let i = 0; i < 60; i++) send(request, rest)
    let open = 0
    const look = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      open = Number(/^inlet_requests_in_flight (\d+)/m.exec(metrics)?.[1])
    }
    const looks = setInterval(look, 50)
    await until(() => open >= 60).finally(() => clearInterval(looks))
    expect((await upload('a '.repeat(100_000))).status).toBe(200)
    for (const socket of sockets.splice(0)) socket.resetAndDestroy()
  })

  test('is not taken by answers that are computed for as long as somebody reads them', async () => {
    const path =
      '/v1/models/default/position-embeddings?position_embedding=sinusoidal&context_length=100000000'
    const answers = [1, 2, 3].map(() => send(`GET ${path}`, 'Accept: application/octet-stream\r\n\r\n'))
    await Promise.all(answers.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
    for (const socket of answers) socket.resume()
    expect((await upload('a '.repeat(100_000))).status).toBe(200)
  })
})
