import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MEDIA_TYPES } from '../../decode.js'
import { listen, type TestService, testService } from '../../helper.js'
import { jsonRequest, open } from '../../raw-http.js'

let service: TestService
let port: number
let byNode = false

beforeAll(async () => {
  service = await testService({ VOCAB_SIZE: '64', CORS_ORIGINS: 'https://a.example' })
  port = await listen(service)
  service.app.server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    // A `writeHead` of its own: the answer goes through it.
    if (byNode) response.writeHead = response.writeHead.bind(response)
  })
})
afterAll(() => service.close())

/** The head's lines, without what differs from answer to answer. */
async function headOf(request: string): Promise<string[]> {
  const socket = await open(port)
  socket.write(request)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  const answer = Buffer.concat(chunks).toString('latin1')
  const lines = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n')
  const values = { date: 'now', 'server-timing': 'tokenize' }
  return lines.map((line) => {
    const [name = ''] = line.split(':', 1)
    return name.toLowerCase() in values ? name : line
  })
}

describe('an answer that is sent in one piece', () => {
  const BODY = JSON.stringify({ input_ids: [1, 2, 3, 4, 5], context_length: 2, stride: 2 })
  const TAGGED = ['X-Request-Id: one', 'Connection: close']

  const cases: [string, string[]][] = [
    ...Object.entries(MEDIA_TYPES).map(
      ([name, type]) => [name, [`Accept: ${type}`, ...TAGGED]] as [string, string[]],
    ),
    ['for a page', ['Origin: https://a.example', ...TAGGED]],
    ['for a page elsewhere', ['Origin: https://b.example', ...TAGGED]],
  ]
  test.each(cases)('has the head that Node writes: %s', async (_, headers) => {
    const request = jsonRequest('/v1/input-embeddings', BODY, headers)
    byNode = false
    const own = await headOf(request)
    byNode = true
    const nodes = await headOf(request)
    expect(own[0]).toBe('HTTP/1.1 200 OK')
    expect(own).toContain('x-request-id: one')
    expect(own.toSorted()).toEqual(
      nodes.map((line) => line.replace(/^X-Request-Id/, 'x-request-id')).toSorted(),
    )
  })

  test.each([
    ['HTTP/1.1', [], 'Connection: keep-alive'],
    ['HTTP/1.1', ['Connection: close'], 'Connection: close'],
    ['HTTP/1.0', [], 'Connection: close'],
    ['HTTP/1.0', ['Connection: keep-alive'], 'Connection: keep-alive'],
  ])('says what becomes of its connection: %s %j', async (version, headers, line) => {
    const request = jsonRequest('/v1/input-embeddings', BODY, headers).replace('HTTP/1.1', version)
    for (byNode of [false, true]) {
      const head = await headOf(`${request}GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      expect(head.filter((each) => /^connection/i.test(each))).toEqual([line])
    }
  })
})
