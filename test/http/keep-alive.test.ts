import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../helper.js'
import { jsonRequest, open, parseAnswers, type RawAnswer } from '../raw-http.js'

let service: TestService
let keyed: TestService
let port: number
let keyedPort: number
beforeAll(async () => {
  service = await testService()
  keyed = await testService({ API_KEYS: 'ci:key' })
  port = await listen(service)
  keyedPort = await listen(keyed)
})
afterAll(() => Promise.all([service.close(), keyed.close()]))

const EMBED = '/v1/input-embeddings'
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

/** What the first request is answered, and what a second one is that is sent on the same connection after it. */
async function twoOnOne(to: number, first: string): Promise<RawAnswer[]> {
  const socket = await open(to)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const closed = once(socket, 'end')
  socket.write(first)
  await Promise.race([once(socket, 'data'), closed]) // an error answer is one packet
  socket.write(head('GET /health/live HTTP/1.1', 'Host: a', 'Connection: close'))
  await closed
  socket.destroy()
  return parseAnswers(Buffer.concat(chunks))
}

// biome-ignore format: one situation a line
const REFUSED: [what: string, status: number, line: string, ...headers: string[]][] = [
  ['a path that there is not', 404, 'GET /nope HTTP/1.1', 'Host: a'],
  ['a model that there is not', 404, 'GET /v1/models/nope HTTP/1.1', 'Host: a'],
  ['the server as a whole', 405, 'OPTIONS * HTTP/1.1', 'Host: a'],
  ['a method that the path has not', 405, 'PUT /v1/models HTTP/1.1', 'Host: a'],
  ['a type that the path has not', 406, 'GET /v1/models HTTP/1.1', 'Host: a', 'Accept: text/html'],
  ['a body that is not there', 415, `POST ${EMBED} HTTP/1.1`, 'Host: a'],
  ['a path that is no URL', 400, 'GET /%zz HTTP/1.1', 'Host: a'],
  ['a query that is no URL', 400, 'GET /v1/models/default/position-embeddings?a=%zz HTTP/1.1', 'Host: a'],
  ['no Host', 400, 'GET /v1/models HTTP/1.1'],
  ['two Hosts', 400, 'GET /v1/models HTTP/1.1', 'Host: a', 'Host: b'],
  ['an expectation', 400, 'GET /v1/models HTTP/1.1', 'Host: a', 'Expect: tea'],
]

describe('a request without a body that is refused keeps its connection', () => {
  test.each(REFUSED)('%s: %i', async (_, status, ...lines) => {
    for (const length of [[], ['Content-Length: 0']]) {
      const answers = await twoOnOne(port, head(...lines, ...length))
      expect(answers.map((answer) => answer.status)).toEqual([status, 200])
      expect(answers[0].headers.connection).toBe('keep-alive')
    }
  })

  test('no key, and two', async () => {
    for (const keys of [[], ['Authorization: Bearer key', 'Authorization: Bearer key']]) {
      const answers = await twoOnOne(keyedPort, head('GET /v1/models HTTP/1.1', 'Host: a', ...keys))
      expect(answers.map((answer) => answer.status)).toEqual([401, 200])
    }
  })

  test('in HTTP/1.0, where the client asks for it', async () => {
    const answers = await twoOnOne(port, head('GET /nope HTTP/1.0', 'Connection: keep-alive'))
    expect(answers.map((answer) => answer.status)).toEqual([404, 200])
  })
})

test('a refused body that is small is read over, one without an end ends the connection', async () => {
  const kept = await twoOnOne(port, jsonRequest('/nope', '{"text": "a"}'))
  expect(kept.map(({ status }) => status)).toEqual([404, 200])
  const chunked = head('POST /nope HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')
  const [refused, ...more] = await twoOnOne(port, chunked)
  expect([refused.status, refused.headers.connection, more.length]).toEqual([404, 'close', 0])
})

// biome-ignore format: one situation a line
const SERVED: [what: string, line: string, ...headers: string[]][] = [
  ['HTTP/1.0 without Host', 'GET /v1/models HTTP/1.0', 'Connection: keep-alive'],
  ['an empty Host', 'GET /v1/models HTTP/1.1', 'Host:'],
  ['a Host of IPv6', 'GET /v1/models HTTP/1.1', 'Host: [::1]:8000'],
  ['a Host with a port', 'GET /v1/models HTTP/1.1', 'Host: some_service.my-net.example:80'],
  ['a whole URL', 'GET http://a:80/v1/models HTTP/1.1', 'Host: b'],
  ['an offer of HTTP/2', 'GET /v1/models HTTP/1.1', 'Host: a', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'],
  ['an offer of WebSocket', 'GET /v1/models HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA=='],
  ['3,000 header lines', 'GET /v1/models HTTP/1.1', ...Array(3000).fill('a:'), 'Host: a'],
  ['bytes beyond ASCII in a value', 'GET /v1/models HTTP/1.1', 'Host: a', 'X-A: \xe4'],
]

test.each(SERVED)('%s is an ordinary request', async (_, ...lines) => {
  const answers = await twoOnOne(port, Buffer.from(head(...lines), 'latin1').toString('latin1'))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
})

test('no header line is left out, however many stand before it', async () => {
  const lines = ['Host: a', ...Array(3000).fill('a:'), 'Authorization: Bearer key']
  const answers = await twoOnOne(keyedPort, head('GET /v1/models HTTP/1.1', ...lines))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
})

test('a body beside an offer to upgrade is read as one', async () => {
  const offer = ['Connection: Upgrade', 'Upgrade: websocket']
  const [first, second] = await twoOnOne(port, jsonRequest(EMBED, '{"input_ids": [1]}', offer))
  expect([first.status, second.status]).toEqual([200, 200])
})

test('chunks in any case, with extensions and trailers, are a body', async () => {
  const lines = [`POST ${EMBED} HTTP/1.1`, 'Host: a', 'Content-Type: application/json']
  const body = '12;a=b\r\n{"input_ids": [1]}\r\n0\r\nX-A: b\r\n\r\n'
  const [first, second] = await twoOnOne(port, head(...lines, 'Transfer-Encoding: Chunked') + body)
  expect([first.status, second.status]).toEqual([200, 200])
})

test('`Expect` in any case is the same', async () => {
  const socket: Socket = await open(port)
  const length = 'Content-Length: 18'
  socket.write(
    head(
      `POST ${EMBED} HTTP/1.1`,
      'Host: a',
      'Content-Type: application/json',
      length,
      'Expect: 100-Continue',
    ),
  )
  const [go] = await once(socket, 'data')
  expect(go.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  socket.destroy()
})
