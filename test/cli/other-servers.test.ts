import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { inFolder, runBuilt, SAMPLE, start } from './run-command.js'
import { run } from './run-here.js'

/** Serves while `use` runs. */
async function whileServing<T>(server: Server, use: (url: string) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
  }
}

function answering(head: object, body: string | Buffer = '', status = 200): Server {
  return createServer((request, response) => {
    request.resume()
    response.writeHead(status, { connection: 'close', ...head }).end(body)
  })
}

/** Bytes as they are, whatever is asked. */
function answeringRaw(bytes: string): Server {
  return createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1')))
  })
}

/** `inlet dataset push` of the sample. */
const push = (url: string) => run(['dataset', 'push', SAMPLE, '-q', '--url', url])

describe('an answer that is not JSON', () => {
  it.each([
    ['a page', { 'content-type': 'text/html; charset=utf-8' }, 'text/html; charset=utf-8'],
    ['no type', {}, 'no type'],
  ])('%s with 200: 1, and nothing on stdout', async (_, head, given) => {
    await whileServing(answering(head, '<html>'), async (url) => {
      const { code, stdout, stderr } = await push(url)
      const message = `${url} must answer with application/json. It answered with ${given}.`
      expect([code, stdout.toString(), stderr]).toEqual([1, '', `inlet: ${SAMPLE}: ${message}\n`])
    })
  })

  it('a page with 502: its status', async () => {
    await whileServing(answering({ 'content-type': 'text/html' }, '<html>', 502), async (url) => {
      const { code, stderr } = await push(url)
      expect([code, stderr]).toEqual([1, `inlet: ${SAMPLE}: The answer was 502 Bad Gateway.\n`])
    })
  })

  it('none at all: 1, named', async () => {
    const { code, stderr } = await push('http://127.0.0.1:1')
    expect([code, stderr]).toEqual([1, expect.stringContaining('http://127.0.0.1:1 did not answer: ')])
  })

  it('one that breaks off: 1, named', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"id":'
    await whileServing(answeringRaw(head), async (url) => {
      const { code, stderr } = await push(url)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${url} did not answer: `)])
    })
  })
})

/** Everything but line feeds that a terminal would take as an order. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const ORDERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/

describe('characters that would steer the terminal', () => {
  it('in a message is shown, not obeyed', async () => {
    const message = '\u001b[2J\u001b]0;owned\u0007\u009b31m one\ninlet: two\r\u202e'
    const body = JSON.stringify({ error: { message } })
    await whileServing(answering({ 'content-type': 'application/json' }, body, 400), async (url) => {
      const { code, stderr } = await push(url)
      expect(code).toBe(1)
      expect(stderr).not.toMatch(ORDERS)
      expect(stderr).toBe(
        `inlet: ${SAMPLE}: \\x1b[2J\\x1b]0;owned\\x07\\x9b31m one\\ninlet: two\\r\\u{202e}\n`,
      )
    })
  })

  it('in a status or a type is shown', async () => {
    const status = 'HTTP/1.1 500 \x9b2Joops\r\nContent-Length: 0\r\n\r\n'
    const type = 'HTTP/1.1 200 OK\r\nContent-Type: \x9b2J/oops\r\nContent-Length: 0\r\n\r\n'
    for (const bytes of [status, type]) {
      await whileServing(answeringRaw(bytes), async (url) => {
        const { code, stderr } = await push(url)
        expect([code, stderr]).toEqual([1, expect.stringContaining('\\x9b2J')])
        expect(stderr).not.toMatch(ORDERS)
      })
    }
  })

  it('in a file’s name is shown, and the file has its name', async () => {
    await inFolder(async (folder) => {
      const name = 'a\u001b[31m\nb'
      const missing = await run(['embed', join(folder, name)])
      expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('a\\x1b[31m\\nb')])
      expect(missing.stderr).not.toMatch(ORDERS)
      await writeFile(join(folder, name), 'Hello, world!')
      const output = join(folder, `${name}.npy`)
      const made = await run(['embed', join(folder, name), '-o', output])
      expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('a\\x1b[31m\\nb.npy: 4 tokens')])
      expect(made.stderr).not.toMatch(ORDERS)
      expect((await readdir(folder)).sort()).toEqual([name, `${name}.npy`])
    })
  })
})

const MADE = { id: 'ds_1', encoding: 'gpt2', num_documents: 1, num_tokens: 1, size_bytes: 1, stored: 'disk' }
const JSON_TYPE = { 'content-type': 'application/json' }
const TEXT = ['dataset', 'push', '-', '--type', 'txt', '-q']

/** Its calls wait for seconds, one beside the other. */
describe('a service that is silent or slow', () => {
  const PART = { ...JSON_TYPE, 'content-length': '100' }
  const CASES: [when: string, handle: (request: IncomingMessage, response: ServerResponse) => void][] = [
    ['before its answer', (request) => request.resume()],
    ['while it should take the text', () => {}],
    ['within its answer', (_, response) => response.writeHead(200, PART).write('0123456789')],
    ['within its refusal', (_, response) => response.writeHead(400, PART).write('{"error":')],
  ]
  it.concurrent.each(CASES)('silent %s is given up', async (_, handle) => {
    const server = createServer(handle)
    await whileServing(server, async (url) => {
      const text = Buffer.alloc(1 << 24, 'more than the sockets hold ')
      const { code, stderr } = await runBuilt([...TEXT, '--url', url, '--timeout', '3'], {}, text)
      expect([code, stderr]).toEqual([1, `inlet: -: ${url} was silent for 3 s.\n`])
      server.closeAllConnections()
    })
  })

  /** Answers with the text as the dataset's id. */
  const echo: RequestListener = async (request, response) => {
    const id = Buffer.concat(await request.toArray()).toString()
    response.writeHead(201, JSON_TYPE).end(JSON.stringify({ ...MADE, id }))
  }

  it.concurrent('is not given up for a text that comes slowly', async () => {
    const server = createServer(echo)
    await whileServing(server, async (url) => {
      const { child, ended } = start([...TEXT, '--url', url, '--timeout', '3'])
      child.stdin.write('Hello, ')
      await once(server, 'request')
      await setTimeout(3500)
      child.stdin.end('world!')
      const { code, stdout, stderr } = await ended
      expect([code, stderr, stdout.toString()]).toEqual([0, expect.any(String), 'Hello, world!\n'])
    })
  })

  it.concurrent('gets the text by --url before INLET_URL', async () => {
    await whileServing(createServer(echo), async (url) => {
      const args = [...TEXT, '--url', url]
      const { code, stdout } = await run(args, { INLET_URL: 'http://127.0.0.1:1' }, 'Hello')
      expect([code, stdout.toString()]).toEqual([0, 'Hello\n'])
    })
  })
})

describe('a refusal', () => {
  const refusing: RequestListener = (_, response) => {
    const body = JSON.stringify({ error: { message: 'no room' } })
    response.writeHead(507, { ...JSON_TYPE, connection: 'close' }).end(body)
  }

  it('before the text is read ends the command', async () => {
    await whileServing(createServer(refusing), async (url) => {
      const { code, stderr } = await push(url)
      expect([code, stderr]).toEqual([1, `inlet: ${SAMPLE}: no room\n`])
    })
  })

  it('within the text ends the command, though the text has no end', async () => {
    const server = createServer((request, response) =>
      request.once('data', () => refusing(request, response)),
    )
    await whileServing(server, async (url) => {
      const { child, ended } = start([...TEXT, '--url', url])
      child.stdin.write('and so on')
      const { code, stderr } = await ended
      expect([code, stderr]).toEqual([1, 'inlet: -: no room\n'])
    })
  })
})
