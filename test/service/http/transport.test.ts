import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../helper.js'
import { exchange, jsonRequest, open, parseAnswers, type RawAnswer } from '../../raw-http.js'
import { expectError, expectGoodRequest, LIMITS, type Situation } from './bad-input.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService(LIMITS)
  port = await listen(service)
})
afterAll(() => service.close())

const PATH = '/v1/input-embeddings'
const GOOD = JSON.stringify({ input_ids: [40, 367], outputs: ['input_ids'] })
const CLOSE = ['Connection: close']
const CHUNKED = `${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\n\r\n`

async function expectOne(answers: RawAnswer[], { expected, says }: Transport): Promise<void> {
  expect(answers.length).toBe(1)
  expectError(answers[0], expected, says)
  const [good] = await exchange(port, jsonRequest(PATH, GOOD, CLOSE))
  expect([good.status, JSON.parse(good.body.toString()).num_tokens]).toEqual([200, 2])
  await expectGoodRequest(service)
}

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

interface Transport {
  readonly name: string
  readonly bytes: string | Buffer
  readonly halfClose?: boolean
  readonly expected: Situation['expected']
  readonly says?: string
}

const invalid = (param: string | null = null) => [400, 'invalid_request', param] as const

// biome-ignore format: one situation a line
const SITUATIONS: Transport[] = [
  { name: 'no HTTP at all', bytes: 'hello\r\n\r\n', expected: invalid() },
  { name: 'the first bytes of TLS', bytes: Buffer.from('1603010200010001fc0303', 'hex'), expected: invalid() },
  { name: 'an unknown method', bytes: head('BREW /v1/models HTTP/1.1', 'Host: a'), expected: invalid() },
  { name: 'an unknown version', bytes: head('GET /v1/models HTTP/9.9', 'Host: a'), expected: invalid() },
  { name: 'no Host', bytes: head('GET /v1/models HTTP/1.1', 'Connection: close'), expected: invalid('host') },
  { name: 'an empty version', bytes: head('GET /v1/models HTTP/', 'Host: a'), expected: invalid() },
  { name: 'the version of another protocol', bytes: head('GET /v1/models HTTP/2.0', 'Host: a'), expected: invalid(), says: 'HTTP/2.0' },
  { name: 'a version older than headers', bytes: head('GET /v1/models HTTP/0.9', 'Host: a'), expected: invalid(), says: 'HTTP/0.9' },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', expected: invalid() },
  { name: 'two Hosts', bytes: head('GET /v1/models HTTP/1.1', 'Host: a', 'Host: b', ...CLOSE), expected: invalid('host'), says: '"a, b"' },
  { name: 'one Host twice', bytes: head('GET /v1/models HTTP/1.1', 'Host: a', 'Host: a', ...CLOSE), expected: invalid('host') },
  ...['a b', 'a/b', 'user@a', 'a:b', 'a:1:2', '[::1', 'a\\b', '\xe4'].map((host) => (
    { name: `a Host that is none: ${host}`, bytes: Buffer.from(head('GET /v1/models HTTP/1.1', `Host: ${host}`, ...CLOSE), 'latin1'), expected: invalid('host') })),
  { name: 'a header without a colon', bytes: head('GET /v1/models HTTP/1.1', 'Host: a', 'nonsense'), expected: invalid() },
  { name: 'a control character in a header', bytes: head('GET /v1/models HTTP/1.1', 'Host: a', 'X-A: \x01'), expected: invalid() },
  { name: 'a header of 20,000 bytes', bytes: head('GET /v1/models HTTP/1.1', 'Host: a', `X-A: ${'a'.repeat(20_000)}`), expected: [431, 'headers_too_large', null] },
  { name: 'a path of 20,000 bytes', bytes: head(`GET /${'a'.repeat(20_000)} HTTP/1.1`, 'Host: a'), expected: [431, 'headers_too_large', null] },
  { name: 'a Content-Length that is no number', bytes: head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Length: ten'), expected: invalid() },
  { name: 'a negative Content-Length', bytes: head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Length: -1'), expected: invalid() },
  { name: 'two Content-Lengths', bytes: `${head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Length: 2', 'Content-Length: 3')}{}`, expected: invalid(), says: 'Duplicate Content-Length' },
  { name: 'Content-Length beside chunks', bytes: `${head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`, expected: invalid() },
  { name: 'a chunk whose size is no number', bytes: `${head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}xyz\r\n{}\r\n`, expected: invalid() },
  { name: 'chunks over the limit', bytes: `${head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: chunked', ...CLOSE)}f4250\r\n${' '.repeat(0xf4250)}\r\n0\r\n\r\n`, expected: [413, 'body_too_large', null] },
  { name: 'a Content-Length over the limit, and no body yet', bytes: head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Content-Length: 9999999999', ...CLOSE), halfClose: true, expected: [413, 'body_too_large', null] },
  { name: 'an unknown transfer coding', bytes: head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: gzip'), expected: invalid('transfer-encoding') },
  { name: 'a transfer coding before chunks', bytes: `${head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: gzip, chunked')}${CHUNKED}`, expected: invalid('transfer-encoding'), says: '"gzip, chunked"' },
  { name: 'a transfer coding on a line of its own', bytes: `${head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')}${CHUNKED}`, expected: invalid('transfer-encoding') },
  { name: 'chunks twice', bytes: `${head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: chunked, chunked')}${CHUNKED}`, expected: invalid() },
  { name: 'chunks in HTTP/1.0', bytes: `${head(`POST ${PATH} HTTP/1.0`, 'Content-Type: application/json', 'Connection: keep-alive', 'Transfer-Encoding: chunked')}${CHUNKED}`, expected: invalid('transfer-encoding'), says: 'HTTP/1.0' },
  { name: 'two Content-Types', bytes: jsonRequest(PATH, GOOD, ['Content-Type: text/plain', ...CLOSE]), expected: [415, 'unsupported_media_type', 'content-type'], says: 'application/json, text/plain' },
  { name: 'a line feed alone', bytes: 'GET /v1/models HTTP/1.1\nHost: a\n\n', expected: invalid() },
  { name: 'a carriage return in a header', bytes: 'GET /v1/models HTTP/1.1\r\nHost: a\r\nX-A: a\rb\r\n\r\n', expected: invalid() },
  { name: 'a folded header', bytes: head('GET /v1/models HTTP/1.1', 'Host: a', 'X-A: a', ' b'), expected: invalid() },
  { name: 'a blank before the colon', bytes: head('GET /v1/models HTTP/1.1', 'Host : a'), expected: invalid() },
  { name: 'a header’s name that is none', bytes: head('GET /v1/models HTTP/1.1', 'Host: a', 'X(A): a'), expected: invalid() },
  { name: 'a target with a blank', bytes: head('GET /v1/models now HTTP/1.1', 'Host: a'), expected: invalid() },
  { name: 'a target beyond ASCII', bytes: head('GET /ä HTTP/1.1', 'Host: a'), expected: invalid() },
  { name: 'extensions of a chunk without end', bytes: `${head(`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}2;${'a'.repeat(70_000)}\r\n{}\r\n0\r\n\r\n`, expected: invalid() },
  { name: 'a body that is longer than it says', bytes: `${jsonRequest(PATH, '{}')}this is not HTTP`, expected: invalid() },
]

describe('over the wire', () => {
  test.each(SITUATIONS)('$name', async (situation) => {
    const { bytes, halfClose } = situation
    const answers = await exchange(port, bytes, { halfClose })
    await expectOne(answers.slice(0, 1), situation)
  })

  test('a body that breaks off gets no answer, and only that connection ends', async () => {
    const [request] = [jsonRequest(PATH, GOOD)]
    for (const cut of [request.length - 1, request.length - GOOD.length, 40]) {
      for (const answer of await exchange(port, request.slice(0, cut), { halfClose: true })) {
        expectError(answer, invalid())
      }
      await expectGoodRequest(service)
    }
  })

  test('a request that takes too long is 408', async () => {
    const connected = once(service.app.server, 'connection')
    const socket = await open(port)
    const [connection] = await connected
    const answered = once(socket, 'data')
    // Node's report of its timeout; the test does not wait five minutes.
    const error = Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    service.app.server.emit('clientError', error, connection)
    const [bytes] = await answered
    expectError(parseAnswers(bytes)[0], [408, 'request_timeout', null])
    socket.destroy()
    await expectGoodRequest(service)
  })

  test('bytes that are no HTTP after a request that is being answered does not get into the answer', async () => {
    const call = JSON.stringify({ input_ids: Array(300).fill(7) })
    const socket = await open(port)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    const ended = once(socket, 'close')
    socket.write(`${jsonRequest(PATH, call, ['Accept: application/octet-stream'])}\x00\x01 no HTTP\r\n\r\n`)
    socket.on('end', () => socket.end())
    await ended
    for (const { status, headers, body } of parseAnswers(Buffer.concat(chunks))) {
      if (status === 200) expect(body.length).toBe(Number(headers['content-length']))
      else expectError({ status, headers, body }, invalid())
    }
    await expectGoodRequest(service)
  })

  test('requests one after the other on one connection are answered in order', async () => {
    const call = (id: number) =>
      jsonRequest(PATH, JSON.stringify({ input_ids: [id], outputs: ['input_ids'] }))
    const bad = jsonRequest(PATH, '{"input_ids": []}')
    const last = jsonRequest(PATH, GOOD, CLOSE)
    const answers = await exchange(port, call(1) + bad + call(2) + last)
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200])
    const ids = answers.map(({ body }) => JSON.parse(body.toString()).outputs?.input_ids.data)
    expect(ids).toEqual([[[1]], undefined, [[2]], [[40, 367]]])
  })
})

test('a path that is not percent-encoded UTF-8 is shown in the error', async () => {
  for (const path of ['/v1/%zz', '/v1/models/%ff']) {
    const [answer] = await exchange(port, head(`GET ${path} HTTP/1.1`, 'Host: a', ...CLOSE))
    expectError(answer, [400, 'invalid_request', null])
    expect(answer.body.toString()).toContain(path)
  }
})

describe('X-Request-Id', () => {
  const idOf = async (lines: string[], path = '/health/live') => {
    const [answer] = await exchange(port, head(`GET ${path} HTTP/1.1`, 'Host: a', ...lines, ...CLOSE))
    return answer.headers['x-request-id']
  }

  test('is echoed, on errors too', async () => {
    for (const path of ['/health/live', '/v1/nothing', '/v1/models/nope', '/v1/%zz', PATH]) {
      expect(await idOf(['X-Request-Id: run-7/a.b:c=d+e@f'], path)).toBe('run-7/a.b:c=d+e@f')
    }
  })

  test('may be 128 characters long', async () => {
    const longest = 'a'.repeat(128)
    expect(await idOf([`X-Request-Id: ${longest}`])).toBe(longest)
  })

  test('is made where there is none, and where the one given is unfit for a header or a log', async () => {
    const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
    for (const given of [
      [],
      ['X-Request-Id: '],
      ['X-Request-Id: a b'],
      [`X-Request-Id: ${'a'.repeat(129)}`],
    ]) {
      expect(await idOf(given)).toMatch(uuid)
    }
    expect(await idOf([])).not.toBe(await idOf([]))
  })
})
