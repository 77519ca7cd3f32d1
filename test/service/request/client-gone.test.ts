import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TokenStream } from '../../../src/first-layer/tokens/tokenizer.js'
import { listen, type TestService, testService } from '../../helper.js'
import { until, untilSettled } from '../../until.js'

/** A tokenizer that never comes to an end, and counts its steps. */
class Endless implements TokenStream {
  static steps = 0
  write(): void {}
  end(): undefined {}
  advance(): boolean {
    Endless.steps++
    return true
  }
}

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService(
    {},
    {
      encoding: ({ encodeShort: _, ...rest }) => ({ ...rest, stream: () => new Endless() }),
    },
  )
  port = await listen(service)
})
afterAll(() => service.close())

test.each([
  ['/v1/input-embeddings', 'application/json', '{"text": "a"}'],
  ['/v1/tokenize', 'application/json', '{"text": "a"}'],
  ['/v1/input-embeddings', 'text/plain', 'a'],
])('a client that goes away stops the work at its text: %s, %s', async (path, type, body) => {
  const before = Endless.steps
  const logged = service.log.lines.length
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await until(() => Endless.steps - before >= 1000, 'the work')
  socket.destroy()
  const lines = () => service.log.lines.slice(logged)
  await until(() => lines().some(({ msg }) => msg === 'request'))
  await untilSettled(() => Endless.steps) // else it never ends
  expect(lines()).toHaveLength(1)
  expect(lines()[0]).toMatchObject({ status: 499, brokenOff: true })

  const { body: metrics } = await service.app.inject('/metrics')
  expect(metrics).toContain(
    `inlet_http_requests_total{method="POST",route="${path}",status="499",format="none"}`,
  )
  expect(metrics).toContain('inlet_errors_total{code="internal"} 0')
})
