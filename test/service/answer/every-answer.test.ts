import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { headersOfAll } from '../../../src/service/answer/every-answer.js'
import { listen, type TestService, testService } from '../../helper.js'
import { jsonRequest, open } from '../../raw-http.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService()
  port = await listen(service)
})
afterAll(() => service.close())

/** The status and the headers that the service answers these bytes with. */
async function answerTo(request: string): Promise<{ status: number; headers: Record<string, string> }> {
  const socket = await open(port)
  socket.write(request)
  let text = ''
  for await (const chunk of socket) {
    text += chunk.toString('latin1')
    if (text.includes('\r\n\r\n')) break
  }
  socket.destroy()
  const [start = '', ...lines] = text.split('\r\n\r\n', 1)[0]!.split('\r\n')
  const headers = lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1]!])
  return { status: Number(start.split(' ')[1]), headers: Object.fromEntries(headers) }
}

const ID = 'X-Request-Id: the-callers-own'
const head = (start: string, ...lines: string[]) => [start, 'Host: a', ID, ...lines, '', ''].join('\r\n')
const EMBED = '/v1/input-embeddings'
const embed = (ids: number) =>
  jsonRequest(EMBED, JSON.stringify({ input_ids: Array(ids).fill(7), context_length: 4 }), [ID])
const text = ['Content-Type: text/csv', 'Content-Length: 99999']

test.each([
  ['by the framework', 200, head('GET /v1/models HTTP/1.1')],
  ['in one piece', 200, embed(5)],
  ['in blocks', 200, embed(40_000)],
  ['as a head alone', 200, head('HEAD /v1/models/default/position-embeddings?context_length=4 HTTP/1.1')],
  ['without a route', 404, head('GET /nothing HTTP/1.1')],
  ['before the body has ended', 415, head(`POST ${EMBED} HTTP/1.1`, ...text)],
  ['to a malformed path', 400, head('GET /%zz HTTP/1.1')],
])('an answer that leaves %s has the headers of all', async (_, status, request) => {
  const answer = await answerTo(request)
  expect(answer.status).toBe(status)
  expect(answer.headers).toMatchObject(headersOfAll('the-callers-own'))
})

test('the answer to a malformed request line has the headers of all, with an id of its own', async () => {
  const { status, headers } = await answerTo('hello\r\n\r\n')
  expect(status).toBe(400)
  expect(headers).toMatchObject(headersOfAll(headers['x-request-id']!))
  expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/)
})

// Whoever spelt the header beside the table would forget the next one.
test('the header of all is written in one place of src', () => {
  const folder = new URL('../../../src/', import.meta.url)
  const files = readdirSync(folder, { recursive: true }).map(String)
  const writes = files
    .filter((path) => path.endsWith('.ts') && !path.includes('explorer/page/'))
    .flatMap((path) =>
      [...readFileSync(new URL(path, folder), 'utf8').matchAll(/(?<!headers\[)['"]x-request-id['"]/g)].map(
        () => path,
      ),
    )
  expect(writes).toEqual(['service/answer/every-answer.ts'])
})
