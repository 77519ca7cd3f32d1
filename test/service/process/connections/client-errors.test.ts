import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerClientError } from '../../../../src/service/process/connections/client-errors.js'
import { endWatcher } from '../../../../src/service/request/request-end.js'
import { listen, type TestService, testService } from '../../../helper.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService()
  port = await listen(service)
})
afterAll(() => service.close())

/** The answer to bytes that are sent to the end, even if an answer arrives earlier; an error of the socket where it is reset. */
async function answerTo(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let problem = ''
  socket.on('data', (part) => {
    text += part
    if (text.includes('}}')) socket.end()
  })
  socket.on('error', ({ message }) => {
    problem = message
  })
  socket.write(bytes)
  await once(socket, 'close')
  return text === '' ? problem : text
}

test('a client that keeps sending bytes that are not HTTP can still read the answer', async () => {
  const head =
    'POST /v1/input-embeddings?context_length=4 HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n'
  const bytes = `${head}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(4_000_000)}\r\na\r\n0\r\n\r\n`
  const wrong: string[] = []
  for (let round = 0; round < 15; round++) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => answerTo(bytes)))
    wrong.push(...answers.filter((answer) => !answer.startsWith('HTTP/1.1 400 ')))
  }
  expect(wrong).toEqual([])
})

/** A connection that Node writes no answer to; what was written, and whether it was closed. */
function quietSocket() {
  const done = { written: [] as string[], isDestroyed: false }
  const socket = Object.assign(new EventEmitter(), {
    writable: true,
    end: (text: string) => void done.written.push(text),
    destroy: () => {
      done.isDestroyed = true
    },
  })
  return { socket: socket as unknown as Socket, done }
}

const badToken = Object.assign(new Error('x'), { code: 'HPE_INVALID_METHOD', reason: 'Invalid method' })

describe('bytes that are no HTTP', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  test('are answered once, however many errors the parser reports; then the client has two seconds', () => {
    const { socket, done } = quietSocket()
    expect(answerClientError(badToken, socket)).toBe('invalid_request')
    expect(answerClientError(badToken, socket)).toBeUndefined()
    expect(done.written).toHaveLength(1)
    expect(done.written[0]).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*Invalid method/)
    vi.advanceTimersByTime(1999)
    expect(done.isDestroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(done.isDestroyed).toBe(true)
  })

  test('leave no clock behind where the client closes first', () => {
    const { socket } = quietSocket()
    answerClientError(badToken, socket)
    socket.emit('close')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('are not answered where the client has reset the connection, also after an answer', () => {
    const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' })
    const { socket, done } = quietSocket()
    expect(answerClientError(reset, socket)).toBeUndefined()
    expect(done).toEqual({ written: [], isDestroyed: true })
    const other = quietSocket()
    answerClientError(badToken, other.socket)
    answerClientError(reset, other.socket)
    expect(other.done.isDestroyed).toBe(true)
  })

  test('in the middle of an answer close the connection: the client would read an error as a part of it', () => {
    const { socket, done } = quietSocket()
    const request = { raw: { socket } } as unknown as FastifyRequest
    const raw = Object.assign(new EventEmitter(), { headersSent: true })
    endWatcher([])(request, { raw } as unknown as FastifyReply)
    expect(answerClientError(badToken, socket)).toBeUndefined()
    expect(done).toEqual({ written: [], isDestroyed: true })
  })

  test.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
    ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ])('%s is answered as %s', (code, expected) => {
    const { socket } = quietSocket()
    expect(answerClientError(Object.assign(new Error('x'), { code }), socket)).toBe(expected)
  })
})
