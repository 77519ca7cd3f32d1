import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { post, type TestService, testService } from '../../helper.js'
import { open } from '../../raw-http.js'
import { until, untilSettled } from '../../until.js'
import { Proxied } from './proxied.js'

const COMPLETIONS = '/v1/completions'
const BODY = { prompt: 'a b c', stream: true }

let proxied: Proxied
beforeEach(async () => {
  proxied = await Proxied.start({ DEFAULT_MODEL: 'llama', UPSTREAM_TIMEOUT_SECONDS: '1' })
})
afterEach(() => proxied.close())

const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code

/** The service's own figures of the upstream. */
async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${proxied.url}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1))
}

test('an answer comes as it is made, byte for byte', async () => {
  const events = ['data: {"a":1}\n\n', 'data: é', '\n\ndata: [DONE]\n\n']
  let goOn = () => {}
  proxied.upstream.answer = async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const event of events) {
      const asked = new Promise<void>((resolve) => {
        goOn = resolve
      })
      response.write(event)
      await asked // the next comes when the caller has this one
    }
    response.end()
  }
  const answer = await proxied.post(COMPLETIONS, BODY)
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const got: string[] = []
  for await (const chunk of answer.body!) {
    got.push(Buffer.from(chunk).toString())
    goOn()
  }
  expect(got).toEqual(events)
  await until(() => proxied.service.log.lines.some(({ route }) => route === COMPLETIONS))
  const route = `route="${COMPLETIONS}"`
  expect(await figure(`inlet_upstream_requests_total{${route},status="2xx"}`)).toBe(1)
  expect(await figure(`inlet_upstream_seconds_count{${route}}`)).toBe(1)
  expect(await figure('inlet_upstream_bytes_total{direction="received"}')).toBe(
    Buffer.byteLength(events.join('')),
  )
  expect(await figure('inlet_upstream_bytes_total{direction="sent"}')).toBe(
    proxied.upstream.received[0]!.body.length,
  )
})

test('requests one after the other share a connection to the upstream', async () => {
  for (let i = 0; i < 5; i++) await (await proxied.post(COMPLETIONS, BODY)).text()
  expect([proxied.upstream.received.length, proxied.upstream.connections.length]).toEqual([5, 1])
})

test('a kept connection that the upstream closes costs no request', async () => {
  await (await proxied.post(COMPLETIONS, BODY)).text()
  const [first] = proxied.upstream.connections
  // The upstream closes when the next request is on its way already.
  first!.removeAllListeners('data')
  first!.on('data', () => first!.destroy())
  const answer = await proxied.post(COMPLETIONS, BODY)
  expect([answer.status, proxied.upstream.connections.length]).toEqual([200, 2])
  expect(proxied.upstream.received[1]!.body).toBe(proxied.upstream.received[0]!.body)
})

test('a request that meets two closed connections, one after the other, is 502', async () => {
  const { upstream } = proxied
  const held: (() => void)[] = []
  upstream.answer = (_, response) => {
    held.push(() => response.end('{}'))
    if (held.length === 2) for (const end of held) end()
  }
  const both = [proxied.post(COMPLETIONS, BODY), proxied.post(COMPLETIONS, BODY)]
  for (const answer of both) await (await answer).text()
  for (const connection of upstream.connections) {
    connection.removeAllListeners('data').on('data', () => connection.destroy())
  }
  const answer = await proxied.post(COMPLETIONS, BODY)
  expect([answer.status, await codeOf(answer)]).toEqual([502, 'upstream_failed'])
  expect(upstream.connections.length).toBe(2)
})

describe('a caller that goes away', () => {
  test('ends the upstream’s work before its answer', async () => {
    let closed = false
    proxied.upstream.handler = (request) => {
      request.resume()
      request.socket.once('close', () => {
        closed = true
      })
    }
    const controller = new AbortController()
    const asked = proxied.post(COMPLETIONS, BODY, { signal: controller.signal }).catch(() => {})
    await until(() => proxied.upstream.connections.length === 1)
    controller.abort()
    await asked
    await until(() => closed)
  })

  test('ends it during the answer', async () => {
    let closed = false
    proxied.upstream.answer = (_, response) => {
      response.write('data: 1\n\n')
      response.once('close', () => {
        closed = true
      })
    }
    const controller = new AbortController()
    const answer = await proxied.post(COMPLETIONS, BODY, { signal: controller.signal })
    await answer.body!.getReader().read()
    expect(closed).toBe(false)
    controller.abort()
    await until(() => closed)
  })
})

test('an upstream is read no faster than the caller reads', async () => {
  let written = 0
  proxied.upstream.answer = async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const block = Buffer.alloc(1 << 16, 0x61)
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    while (written < 1 << 28 && !response.destroyed) {
      const taken = new Promise<unknown>((resolve) => response.write(block, resolve))
      await Promise.race([taken, closed])
      written += block.length
    }
  }
  const socket = await open(Number(new URL(proxied.url).port))
  const body = JSON.stringify(BODY)
  const head = `POST ${COMPLETIONS} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json`
  socket.pause()
  socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await until(() => written > 0)
  expect(await untilSettled(() => written)).toBeLessThan(1 << 25) // what kernels buffer
  socket.destroy()
})

describe('an upstream that fails', () => {
  test('before its answer is 502', async () => {
    proxied.upstream.answer = (_, response) => response.destroy()
    const answer = await proxied.post(COMPLETIONS, BODY)
    expect([answer.status, await codeOf(answer)]).toEqual([502, 'upstream_failed'])
    expect(await figure(`inlet_upstream_requests_total{route="${COMPLETIONS}",status="none"}`)).toBe(1)
    expect(proxied.upstream.received.length).toBe(1) // it may have begun to work on it
  })

  test('in the middle of its answer ends the caller’s connection', async () => {
    proxied.upstream.answer = (_, response) => {
      response.write('data: 1\n\n')
      setImmediate(() => response.destroy())
    }
    const answer = await proxied.post(COMPLETIONS, BODY)
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow()
  })

  test('by silence is 504, and ends the caller’s connection in the middle of its answer', async () => {
    proxied.upstream.answer = () => {}
    const answer = await proxied.post(COMPLETIONS, BODY)
    expect([answer.status, await codeOf(answer)]).toEqual([504, 'upstream_timeout'])
    proxied.upstream.answer = (_, response) => response.write('data: 1\n\n')
    const broken = await proxied.post(COMPLETIONS, BODY)
    await expect(broken.text()).rejects.toThrow()
  })

  test('with a header of a megabyte is 502', async () => {
    proxied.upstream.answer = (_, response) => {
      response.setHeader('x-long', 'a'.repeat(1 << 20)).end()
    }
    const answer = await proxied.post(COMPLETIONS, BODY)
    expect([answer.status, await codeOf(answer)]).toEqual([502, 'upstream_failed'])
  })

  test('by an answer before it has read the body is passed on', async () => {
    proxied.upstream.handler = (_, response) => {
      response.writeHead(413).end('too much')
    }
    const answer = await proxied.post(COMPLETIONS, { prompt: 'one two three '.repeat(100_000) })
    expect([answer.status, await answer.text()]).toEqual([413, 'too much'])
  })

  test('by the caller’s own deadline is 504', async () => {
    proxied.upstream.answer = () => {}
    const answer = await proxied.post(COMPLETIONS, BODY, { headers: { 'x-request-timeout': '0.2' } })
    expect([answer.status, await codeOf(answer)]).toEqual([504, 'deadline_exceeded'])
  })
})

describe('an upstream that is no server', () => {
  let server: Server
  let said: string
  let sockets: Socket[]
  let service: TestService
  beforeAll(async () => {
    sockets = []
    server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {}).once('data', () => socket.end(said))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    service = await testService({ UPSTREAM_URL: `http://127.0.0.1:${port}` })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await service.close()
  })

  const ask = () => post(service, COMPLETIONS, { prompt_embeds: 'x' })

  test.each([
    ['says nothing', ''],
    ['speaks another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['has a status that is none', 'HTTP/1.1 999 no\r\n\r\n'],
    ['changes the protocol', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['breaks its head off', 'HTTP/1.1 200 OK\r\ncontent-le'],
  ])('and %s is 502', async (_, words) => {
    said = words
    const answer = await ask()
    expect([answer.status, answer.json().error.code]).toEqual([502, 'upstream_failed'])
  })

  test('and refuses connections is 502, and names no address', async () => {
    const refused = await testService({ UPSTREAM_URL: 'http://127.0.0.1:1/base/' })
    const answer = await post(refused, COMPLETIONS, { prompt_embeds: 'x' })
    expect([answer.status, answer.json().error.code]).toEqual([502, 'upstream_failed'])
    expect(answer.json().error.message).toBe('The upstream gave no answer: it refuses connections.')
    await refused.close()
  })
})

test('without an upstream there are no such routes', async () => {
  const service = await testService()
  for (const path of [COMPLETIONS, '/v1/chat/completions']) {
    expect((await post(service, path, { prompt: 'a' })).status).toBe(404)
  }
  await service.close()
})
