import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../../helper.js'
import { exchange, open } from '../../../raw-http.js'
import { expectError } from '../../http/bad-input.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService({ API_KEYS: 'ci:key' })
  port = await listen(service)
})
afterAll(() => service.close())

const CONNECT = 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\nX-Request-Id: tunnel-1\r\n\r\n'
const REFUSED = [405, 'method_not_allowed', null] as const

test('CONNECT is a 405 that lists the methods, and the end of the connection', async () => {
  for (const bytes of [CONNECT, `${CONNECT}\x16\x03\x01 what the other end was to read`]) {
    const [answer, ...more] = await exchange(port, bytes)
    expectError(answer, REFUSED, /GET, HEAD, POST, PUT, DELETE.*CONNECT/)
    expect(answer.headers).toMatchObject({
      allow: 'GET, HEAD, POST, PUT, DELETE',
      connection: 'close',
      'x-request-id': 'tunnel-1',
    })
    expect(more).toEqual([])
  }
})

test('the service reads the bytes that the client still sends, so that nothing resets the connection', async () => {
  const told = once(service.app.server, 'connect') as Promise<[unknown, Socket]>
  const client = await open(port)
  client.write(CONNECT + 'x'.repeat(100_000))
  const [, socket] = await told
  await once(client, 'data')
  client.end()
  await once(socket, 'close')
  expect(socket.readableEnded).toBe(true)
})

test('it counts among the errors', async () => {
  const counted = async () => {
    const { body } = await service.app.inject({ url: '/metrics', headers: { authorization: 'Bearer key' } })
    return Number(/inlet_errors_total\{code="method_not_allowed"\} (\d+)/.exec(body)?.[1])
  }
  const before = await counted()
  await exchange(port, CONNECT)
  expect(await counted()).toBe(before + 1)
})

test('a client that does not close its side is not waited for, and one that resets it harms no other', async () => {
  const kept = await open(port)
  kept.write(CONNECT)
  await once(kept, 'data')
  const reset = await open(port)
  const told = once(service.app.server, 'connect')
  reset.write(CONNECT)
  await told
  reset.resetAndDestroy()
  const connections = () =>
    new Promise<number>((resolve) => service.app.server.getConnections((_, count) => resolve(count)))
  while ((await connections()) > 0) await setTimeout(1)
  kept.destroy()
  const [alive] = await exchange(port, 'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  expect(alive.status).toBe(200)
})
