import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../helper.js'
import { until as waitUntil } from '../../until.js'

const LIMIT = 200_000
const TYPES = [
  ['text/plain', '/v1/input-embeddings?context_length=4'],
  ['application/json', '/v1/input-embeddings'],
] as const

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService({ MAX_BODY_BYTES: String(LIMIT), MAX_JSON_BODY_BYTES: String(LIMIT) })
  port = await listen(service)
})
afterAll(() => service.close())

/** A connection by hand: what comes back, and when it ends. */
function dial(): {
  socket: Socket
  received: () => string
  ended: Promise<void>
  until(text: string): Promise<void>
} {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString()
  })
  const ended = new Promise<void>((resolve, reject) => {
    socket.once('end', resolve).once('error', reject)
  })
  ended.catch(() => {})
  return {
    socket,
    received: () => text,
    ended,
    async until(part) {
      await waitUntil(() => text.includes(part), part)
    },
  }
}

function head(type: string, path: string, ...headers: string[]): string {
  return [`POST ${path} HTTP/1.1`, 'Host: localhost', `Content-Type: ${type}`, ...headers, '', ''].join(
    '\r\n',
  )
}

/** One chunk of a chunked body. */
function chunk(bytes: number): string {
  return `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`
}

describe.each(TYPES)('a %s body over the limit', (type, path) => {
  test('whose length is known is refused before it comes', async () => {
    const { socket, received, until } = dial()
    socket.write(head(type, path, `Content-Length: ${LIMIT + 1}`))
    await until('body_too_large')
    expect(received()).toMatch(/^HTTP\/1\.1 413 /)
    const variable = type === 'application/json' ? ' (`MAX_JSON_BODY_BYTES`)' : ''
    expect(received()).toContain(`The body must be at most ${LIMIT} bytes${variable}. Given: ${LIMIT + 1}`)
    socket.destroy()
  })

  test('is refused as it flows; the client gets the answer while it still sends; what follows is the next request', async () => {
    const { socket, received, ended, until } = dial()
    socket.write(head(type, path, 'Transfer-Encoding: chunked'))
    for (let sent = 0; sent <= LIMIT; sent += 10_000) socket.write(chunk(10_000))
    await until('body_too_large')
    expect(received()).toMatch(/^HTTP\/1\.1 413 /)
    // A client that looks at the answer only when it has sent everything: more than any buffer between holds.
    for (let more = 0; more < 300; more++) {
      await new Promise<void>((resolve, reject) => {
        socket.write(chunk(100_000), (error) => (error ? reject(error) : resolve()))
      })
    }
    socket.write('0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await ended // by FIN; a reset would be an error
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })
})

test('a client that asks first is told to go on where the body is wanted', async () => {
  const { socket, received, until } = dial()
  const text = 'a text of a few more tokens'
  socket.write(
    head('text/plain', '/v1/input-embeddings', 'Expect: 100-continue', `Content-Length: ${text.length}`),
  )
  await until('\r\n\r\n')
  expect(received()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
  socket.write(text)
  await until('input_embeddings')
  expect(received()).toContain('HTTP/1.1 200 OK')
  socket.destroy()
})

test.each(TYPES)('a connection stays open after a small wrong %s request', async (type) => {
  const { socket, received, until } = dial()
  const wrong = `${head(type, '/v1/input-embeddings?foo=1', 'Content-Length: 2')}{}`
  socket.write(`${wrong}${wrong}GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await until('"live"')
  expect(received().match(/HTTP\/1\.1 400 /g)).toHaveLength(2)
  socket.destroy()
})

test('invalid UTF-8 in mid-body is answered, and the connection stays open once the body has arrived', async () => {
  const { socket, received, until } = dial()
  socket.write(head('text/plain', '/v1/input-embeddings', 'Content-Length: 1000'))
  socket.write(Buffer.from([0x61, 0xff]))
  await until('invalid_unicode')
  expect(received()).toMatch(/^HTTP\/1\.1 400 /)
  socket.write('b'.repeat(998))
  socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until('"live"')
  socket.destroy()
})

test.each([...TYPES, ['application/gzip', '/v1/input-embeddings'] as const])(
  'a client that goes away in mid-body leaves a line in the log and no error: %s',
  async (type, path) => {
    const lines = service.log.lines
    const before = lines.length
    const { socket } = dial()
    const begun = once(service.app.server, 'request')
    const packed = type === 'application/gzip'
    socket.write(
      head(
        packed ? 'text/plain' : type,
        path,
        'Content-Length: 1000',
        ...(packed ? ['Content-Encoding: gzip'] : []),
      ),
    )
    await begun
    await new Promise((written) => socket.write(packed ? '' : '[1, 2', written))
    socket.destroy()
    await waitUntil(() => lines.slice(before).some((line) => line.msg === 'request'))
    const [line] = lines.slice(before).filter(({ msg }) => msg === 'request')
    expect(line).toMatchObject({ status: 499, brokenOff: true })
    expect(lines.slice(before).filter(({ level }) => Number(level) > 30)).toEqual([])
  },
)
