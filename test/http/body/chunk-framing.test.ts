import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ChunkFraming, MAX_FRAMING } from '../../../src/http/body/chunk-framing.js'
import { listen, type TestService, testService } from '../../helper.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService()
  port = await listen(service)
})
afterAll(() => service.close())

const BEGIN = '{"context_length":4,"outputs":["window_starts"],"text":"'
const BODIES = [
  ['text/plain', '/v1/input-embeddings?context_length=4&outputs=window_starts', '', ''],
  ['application/json', '/v1/input-embeddings', BEGIN, '"}'],
] satisfies [type: string, path: string, before: string, after: string][]

const chunk = (part: string) => (part === '' ? '' : `${part.length.toString(16)}\r\n${part}\r\n`)

/** The status and the answer to a body of a's in chunks of `size`. */
async function answerTo([type, path, before, after]: readonly string[], chunks: number, size: number) {
  const socket = connect(port, '127.0.0.1')
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', `Content-Type: ${type}`]
  socket.write([...head, 'Transfer-Encoding: chunked', 'Connection: close', '', ''].join('\r\n'))
  socket.on('error', () => {}) // the service may close while the rest is written
  socket.write(`${chunk(before)}${chunk('a'.repeat(size)).repeat(chunks)}${chunk(after)}0\r\n\r\n`)
  return text(socket)
}

describe.each(BODIES)('a %s body', (...body) => {
  test('in chunks so small that there is more around them than in them is refused, with both numbers', async () => {
    const answer = await answerTo(body, 600_000, 1)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/chunks of at least 10 bytes on average.* Given: \d+ around \d+/)
    expect(answer).toContain('"param":"transfer-encoding"')
  })

  test('of as many chunks as a long answer has tokens is read', async () => {
    expect(await answerTo(body, 100_000, 4)).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('of many chunks of ten bytes is read', async () => {
    expect(await answerTo(body, 300_000, 10)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('the bytes around the chunks', () => {
  const before = 5000 // of the connection's earlier requests
  /** Checks a body of which `read` bytes were taken and `waiting` are there, with so many around them. */
  function checked(read: number, waiting: number, framing: number) {
    const raw = {
      headers: { 'transfer-encoding': 'chunked' },
      readableLength: 0,
      socket: { bytesRead: before },
    }
    const chunks = new ChunkFraming(raw as unknown as IncomingMessage)
    raw.readableLength = waiting
    raw.socket.bytesRead = before + read + waiting + framing
    return () => chunks.check(read)
  }

  test.each([
    [0, 0],
    [1000, 0],
    [0, 1000],
    [3000, 5000],
  ])('at most a mebibyte and half of %i + %i', (read, waiting) => {
    const most = MAX_FRAMING + (read + waiting) / 2
    expect(checked(read, waiting, most)).not.toThrow()
    expect(checked(read, waiting, most + 1)).toThrow(`Given: ${most + 1} around ${read + waiting}`)
  })
})
