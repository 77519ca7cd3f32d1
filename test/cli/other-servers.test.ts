import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
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

/** The end of `inlet embed … -o FOLDER/out.npy`, and what is in the folder then. */
async function embedTo(url: string, flags: readonly string[] = []) {
  return inFolder(async (folder) => {
    const ended = await run(['embed', SAMPLE, '-o', join(folder, 'out.npy'), '--url', url, ...flags])
    return { ...ended, files: await readdir(folder) }
  })
}

describe('an answer of another type', () => {
  it.each([
    ['a page', { 'content-type': 'text/html; charset=utf-8' }, 'text/html; charset=utf-8'],
    ['no type', {}, 'no type'],
    ['another format', { 'content-type': 'application/json' }, 'application/json'],
    [
      'the right one, packed',
      { 'content-type': 'application/x-npy', 'content-encoding': 'gzip' },
      'application/x-npy, packed as gzip',
    ],
  ])('%s with 200: 1, and no file', async (_, head, given) => {
    await whileServing(answering(head, '<html>'), async (url) => {
      const { code, stderr, files } = await embedTo(url)
      const expected = `inlet: ${url} must answer with application/x-npy. It answered with ${given}.\n`
      expect([code, stderr, files]).toEqual([1, expected, []])
    })
  })

  it('writes nothing to stdout either', async () => {
    await whileServing(answering({ 'content-type': 'text/html' }, '<html>'), async (url) => {
      const { code, stdout } = await run(['embed', SAMPLE, '--url', url])
      expect([code, stdout.toString()]).toEqual([1, ''])
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
      const { code, stderr } = await embedTo(url)
      expect(code).toBe(1)
      expect(stderr).not.toMatch(ORDERS)
      expect(stderr).toBe('inlet: \\x1b[2J\\x1b]0;owned\\x07\\x9b31m one\\ninlet: two\\r\\u{202e}\n')
    })
  })

  it('in a status or a type is shown', async () => {
    const status = 'HTTP/1.1 500 \x9b2Joops\r\nContent-Length: 0\r\n\r\n'
    const type = 'HTTP/1.1 200 OK\r\nContent-Type: \x9b2J/oops\r\nContent-Length: 0\r\n\r\n'
    for (const bytes of [status, type]) {
      await whileServing(answeringRaw(bytes), async (url) => {
        const { code, stderr } = await embedTo(url)
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

/** Its calls wait for seconds, one beside the other. */
describe('a service that is silent or slow', () => {
  const serving = (handle: RequestListener) => createServer(handle).on('checkContinue', handle)
  const PART = { 'content-type': 'application/x-npy', 'content-length': '100' }
  const CASES: [when: string, handle: (request: IncomingMessage, response: ServerResponse) => void][] = [
    ['before its answer', (request, response) => response.writeContinue(() => request.resume())],
    ['while it should take the text', (_, response) => response.writeContinue()],
    ['within its answer', (_, response) => response.writeHead(200, PART).write('0123456789')],
    ['within its refusal', (_, response) => response.writeHead(400, PART).write('{"error":')],
  ]
  it.concurrent.each(CASES)('silent %s is given up, and leaves nothing', async (_, handle) => {
    const server = serving(handle)
    await whileServing(server, async (url) => {
      await inFolder(async (folder) => {
        const args = ['embed', '-', '-o', join(folder, 'out.npy'), '--url', url, '--timeout', '3']
        const text = Buffer.alloc(1 << 24, 'more than the sockets hold ')
        const { code, stderr } = await runBuilt(args, {}, text)
        const message = handle === CASES[3][1] ? 'The answer was 400' : `${url} was silent for 3 s.`
        expect([code, stderr, await readdir(folder)]).toEqual([1, expect.stringContaining(message), []])
      })
      server.closeAllConnections()
    })
  })

  /** Answers with the text. */
  const echo: RequestListener = async (request, response) => {
    const chunks = await request.toArray()
    response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.concat(chunks))
  }

  it.concurrent('is not given up for a text that comes slowly', async () => {
    const server = createServer(echo)
    await whileServing(server, async (url) => {
      const { child, ended } = start(['embed', '-', '-q', '--url', url, '--timeout', '3'])
      child.stdin.write('Hello, ')
      await once(server, 'request')
      await setTimeout(3500)
      child.stdin.end('world!')
      const { code, stdout, stderr } = await ended
      expect([code, stderr, stdout.toString()]).toEqual([0, '', 'Hello, world!'])
    })
  })

  it.concurrent('gets the text though it sends no `100 Continue`, by --url before INLET_URL', async () => {
    await whileServing(createServer().on('checkContinue', echo), async (url) => {
      const { code, stdout } = await run(['embed', SAMPLE, '-q', '--url', url], {
        INLET_URL: 'http://127.0.0.1:1',
      })
      expect([code, stdout.toString()]).toEqual([0, await readFile(SAMPLE, 'utf8')])
    })
  })
})
