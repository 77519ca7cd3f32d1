import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { MEDIA_TYPES } from '../decode.js'
import { exchange, jsonRequest, open } from '../raw-http.js'
import { until } from '../until.js'
import { leash } from './leash.js'
import { type ServerProcess, startServer, THREADS } from './server-process.js'
import { type Wire, wire } from './wire.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64' }
const MIB = 2 ** 20
const LIVE = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'
const READY = 'GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n'
const TOKENIZE = jsonRequest('/v1/tokenize', '{"text":"a"}')
/** Enough connections for each thread to have some. */
const EACH = 6

async function start({ onTestFinished }: TestContext, env: Readonly<Record<string, string>>) {
  const server = startServer({ ...SMALL, ...env })
  onTestFinished(async () => {
    server.kill()
    await server.exited
  })
  await server.allServe()
  return { server, port: await server.port() }
}

/** The line of the log that has these words. */
const lineOf = ({ output }: ServerProcess, words: string) =>
  JSON.parse(output.log.split('\n').find((line) => line.includes(words)) ?? '{}')

/** Sends SIGTERM, which the log tells. */
async function stopping({ child, output }: ServerProcess): Promise<void> {
  child.kill('SIGTERM')
  await until(() => output.log.includes('"stopping"'))
}

function wires(port: number): Promise<Wire[]> {
  return Promise.all(Array.from({ length: EACH }, () => wire(port)))
}

/** A download of 16 MiB that has begun and is not read on. */
async function slowDownload(port: number, behind = ''): Promise<{ socket: Socket; rest(): Promise<Buffer> }> {
  const large = { input_ids: [1], context_length: 64 * 1024, tail: 'pad', pad_token_id: 7 }
  const body = JSON.stringify({ ...large, position_embedding: 'none' })
  const socket = await open(port)
  socket.write(jsonRequest('/v1/input-embeddings', body, [`Accept: ${MEDIA_TYPES.raw}`]) + behind)
  await once(socket, 'readable')
  return {
    socket,
    async rest() {
      const chunks: Buffer[] = []
      for await (const chunk of socket) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  }
}

const bodyOf = (answer: Buffer) => answer.subarray(answer.indexOf('\r\n\r\n') + 4)

// Each waits for time limits of its service: side by side.
describe.concurrent('a service that stops', () => {
  test('through the drain all are served, each answer has Connection: close, and the service is not ready', async (context) => {
    const { server, port } = await start(context, {
      THREADS,
      DRAIN_SECONDS: '3600',
      SHUTDOWN_SECONDS: '3600',
    })
    const kept = await wires(port)
    for (const each of kept) each.write(LIVE)
    for (const each of kept) expect((await each.answers(1))[0].headers.connection).toBe('keep-alive')
    const halfSent = await wires(port)
    for (const each of halfSent) each.write(TOKENIZE.slice(0, -3))
    await stopping(server)

    const fresh = await wires(port)
    for (const each of fresh) each.write(READY)
    for (const each of fresh) {
      const [answer] = await each.answers(1)
      expect([answer.status, answer.headers.connection]).toEqual([503, 'close'])
      expect(JSON.parse(answer.body.toString()).error.code).toBe('stopping')
      await each.ended
    }
    for (const each of kept) each.write(LIVE)
    for (const each of halfSent) each.write(TOKENIZE.slice(-3))
    for (const each of [...kept, ...halfSent]) {
      const answer = (await each.answers(kept.includes(each) ? 2 : 1)).at(-1)
      expect([answer?.status, answer?.headers.connection]).toEqual([200, 'close'])
      await each.ended
    }
  })

  test('after it what has sent no head is closed, what runs finishes, and the process ends with 0', async (context) => {
    const { server, port } = await start(context, { THREADS, DRAIN_SECONDS: '1', SHUTDOWN_SECONDS: '3600' })
    const [idle, silent, halfHead, halfBody] = await Promise.all([1, 2, 3, 4].map(() => wires(port)))
    for (const each of idle) each.write(LIVE)
    for (const each of idle) await each.answers(1)
    for (const each of halfHead) each.write('GET /health/live HTTP/1.1\r\nHo')
    for (const each of halfBody) each.write(TOKENIZE.slice(0, -3))
    const downloads = await Promise.all([1, 2, 3].map(() => slowDownload(port, LIVE)))
    await stopping(server)

    for (const each of [...idle, ...silent, ...halfHead]) await each.ended
    expect(server.output.log).toContain('the listener closes')
    for (const each of [...silent, ...halfHead]) expect(each.text()).toBe('')
    expect(await exchange(port, LIVE).catch(() => [])).toEqual([]) // refused, or closed at once
    for (const each of halfBody) {
      each.write(TOKENIZE.slice(-3))
      const [answer] = await each.answers(1)
      expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
      await each.ended
    }
    expect(server.child.exitCode).toBeNull()
    for (const { rest } of downloads) {
      const answer = bodyOf(await rest())
      expect(answer.subarray(16 * MIB).toString()).toContain('{"status":"live"}')
    }
    expect(await server.exited).toBe(0)
    expect(server.output.log).toContain('"stopped"')
    expect(server.output.errors).toBe('')
  })

  test('a request that hangs is cut off when the time is over, with 0', async (context) => {
    const { server, port } = await start(context, { THREADS, DRAIN_SECONDS: '0', SHUTDOWN_SECONDS: '2' })
    const halfBody = await wires(port)
    for (const each of halfBody) each.write(TOKENIZE.slice(0, -3))
    const unread = await Promise.all([1, 2, 3].map(() => slowDownload(port)))
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    expect(lineOf(server, 'cut off')).toMatchObject({ level: 40, requests: EACH + unread.length })
    for (const { socket } of unread) socket.destroy()
  })

  test('the drain, five seconds by default, is a part of the time to shut down, which SIGINT begins too', async (context) => {
    const { server, port } = await start(context, { THREADS: '1', DRAIN_SECONDS: '', SHUTDOWN_SECONDS: '1' })
    const silent = await wire(port)
    server.child.kill('SIGINT')
    expect(await server.exited).toBe(0)
    await silent.ended
    const told = { signal: 'SIGINT', drainSeconds: 5, shutdownSeconds: 1, isAtTerminal: false }
    expect(lineOf(server, '"stopping"')).toMatchObject(told)
    expect(server.output.log).not.toContain('the listener closes')
  })

  test('a signal of another kind cuts nothing; the same one again ends the process with 1', async (context) => {
    for (const [second, code] of [
      ['SIGHUP', 0],
      ['SIGTERM', 1],
    ] as const) {
      const { server: started, port } = await start(context, { THREADS: '1', DRAIN_SECONDS: '0' })
      const [half] = await wires(port)
      half.write(TOKENIZE.slice(0, -3))
      started.child.kill('SIGTERM')
      await until(() => started.output.log.includes('the listener closes'))
      started.child.kill(second)
      if (code === 0) {
        half.write(TOKENIZE.slice(-3))
        expect((await half.answers(1))[0].status).toBe(200)
      }
      expect(await started.exited).toBe(code)
    }
  })

  test('SIGHUP drains, and ends the process with 0', async (context) => {
    const { server: started, port } = await start(context, { THREADS: '1', DRAIN_SECONDS: '0' })
    const [half] = await wires(port)
    half.write(TOKENIZE.slice(0, -3))
    started.child.kill('SIGHUP')
    await until(() => started.output.log.includes('the listener closes'))
    half.write(TOKENIZE.slice(-3))
    expect((await half.answers(1))[0].status).toBe(200)
    expect(await started.exited).toBe(0)
  })
})

test.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s while the modules are being loaded ends the process with 0',
  async (signal) => {
    // In the place of the service's modules: this one never ends.
    const never = "process.stdout.write('loading'); setInterval(() => {}, 1000); await new Promise(() => {})"
    const folder = mkdtempSync(join(tmpdir(), 'inlet-stopping-'))
    try {
      for (const name of ['server.js', 'chunk-early-stop.js'])
        copyFileSync(`dist/${name}`, join(folder, name))
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      writeFileSync(join(folder, 'chunk-start.js'), never)
      const child = spawn(process.execPath, [join(folder, 'server.js')])
      leash(child)
      await once(child.stdout, 'data')
      child.kill(signal)
      expect(await once(child, 'exit')).toEqual([0, null])
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
