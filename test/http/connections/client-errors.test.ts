import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../helper.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService()
  port = await listen(service)
})
afterAll(() => service.close())

/** What comes back for bytes that are sent whole, whatever comes meanwhile; an error of the socket where it is reset. */
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

test('who goes on sending what is no HTTP reads the answer all the same', async () => {
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
