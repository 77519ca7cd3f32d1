import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { countKernel, type KernelCount } from '../../counting-kernel.js'
import { MEDIA_TYPES } from '../../decode.js'
import { listen, type TestService, testService } from '../../helper.js'
import { exchange, jsonRequest, open, parseAnswers } from '../../raw-http.js'
import { until, untilSettled } from '../../until.js'

const PATH = '/v1/input-embeddings'
const DIM = 1024
const MIB = 2 ** 20
const BLOCK_ROWS = MIB / (DIM * 4)
/** The memory of an answer on its way. */
const STREAM_BYTES = 768 * 1024

let service: TestService
let port: number
let kernel: KernelCount

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  service = await testService({ VOCAB_SIZE: '64', EMBEDDING_DIM: String(DIM), ...env })
  port = await listen(service)
  kernel = countKernel()
}

const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  kernel.restore()
  await service.close()
})

const request = (mebibytes: number, headers: readonly string[] = []) => {
  const body = {
    input_ids: [5],
    context_length: mebibytes * BLOCK_ROWS,
    tail: 'pad',
    pad_token_id: 7,
    position_embedding: 'none',
  }
  return jsonRequest(PATH, JSON.stringify(body), [`Accept: ${MEDIA_TYPES.raw}`, ...headers])
}

async function bytesInFlight(): Promise<number> {
  const { body } = await service.app.inject('/metrics')
  return Number(/^inlet_bytes_in_flight (\d+)/m.exec(body)?.[1])
}

/** Asks for a long answer and reads its beginning only. */
async function unread(): Promise<Socket> {
  const socket = await open(port)
  sockets.push(socket)
  socket.write(request(64))
  await once(socket, 'readable')
  return socket
}

describe('an answer that waits for another on its connection', () => {
  test('makes no block before it is the first, and comes whole then', async () => {
    await start()
    const socket = await open(port)
    socket.write(request(64) + request(8) + request(8, ['Connection: close']))
    await once(socket, 'readable')
    const made = await untilSettled(() => kernel.calls)
    expect(made).toBeLessThan(64)
    expect(service.model.workspace.freeBlocks).toBe(15) // the first one's
    expect(await bytesInFlight()).toBeLessThan(2 * STREAM_BYTES)

    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    const answers = parseAnswers(Buffer.concat(chunks))
    expect(answers.map(({ body }) => body.length / MIB)).toEqual([64, 8, 8])
    expect(kernel.calls).toBe(80)
  })

  test('makes none when its connection closes', async () => {
    await start()
    const socket = await open(port)
    socket.write(request(64) + request(8) + request(8))
    await once(socket, 'readable')
    await untilSettled(() => kernel.calls)
    socket.destroy()
    await until(() => service.model.workspace.freeBlocks === 16)
    expect(await untilSettled(() => kernel.calls)).toBeLessThan(64)
    expect(await bytesInFlight()).toBe(0)
  })
})

describe('an answer for which there is no room', () => {
  // Large answers begin while half of seven eighths is free of them: 1.75 MiB, two of them and one that comes after.
  const env = { MAX_BYTES_IN_FLIGHT: String(4 * MIB), QUEUE_TIMEOUT_MS: '100' }

  test('is refused before it begins, with nothing of its headers', async () => {
    await start(env)
    await unread()
    await unread()
    await unread()
    const inFlight = await bytesInFlight()
    expect(inFlight).toBeGreaterThanOrEqual(3 * STREAM_BYTES)
    expect(inFlight).toBeLessThan(3 * STREAM_BYTES + 64 * 1024) // and their bodies
    const [refused] = await exchange(port, request(8, ['Connection: close']))
    expect(refused!.status).toBe(503)
    expect(JSON.parse(refused!.body.toString()).error.code).toBe('overloaded')
    expect(Number(refused!.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused!.headers['content-type']).toMatch('application/json')
    expect(Object.keys(refused!.headers).filter((header) => /^x-(tensor|num)/.test(header))).toEqual([])

    const [small] = await exchange(
      port,
      jsonRequest(PATH, '{"input_ids":[1,2],"outputs":["input_ids"]}', ['Connection: close']),
    )
    expect(small!.status).toBe(200)
  })

  test('finds it when the others have ended, whichever way', async () => {
    await start({ ...env, QUEUE_TIMEOUT_MS: '60000' })
    const [gone, read, last] = [await unread(), await unread(), await unread()]
    const waiting = exchange(port, request(8, ['Connection: close']))
    gone.destroy()
    read.resume()
    last.destroy()
    const [answer] = await waiting
    expect(answer!.status).toBe(200)
    expect(answer!.body.length).toBe(8 * MIB)
    read.destroy()
    await until(() => service.model.workspace.freeBlocks === 16)
    expect(await bytesInFlight()).toBe(0)
  })
})

test('a small answer holds only its own bytes, and gives them back', async () => {
  await start()
  const response = await service.app.inject({
    method: 'POST',
    url: PATH,
    headers: { 'content-type': 'application/json', accept: MEDIA_TYPES.raw },
    payload: '{"input_ids":[1,2,3,4],"position_embedding":"none"}',
  })
  expect(response.rawPayload.length).toBe(4 * DIM * 4)
  expect(await bytesInFlight()).toBe(0)
})
