import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../helper.js'
import { AUTHORIZATION, type ManagedService, managedService } from '../../managed.js'
import { exchange, open, parseAnswers } from '../../raw-http.js'
import { type FileTensor, floats, rawFile, readTables, tableFile } from '../../table-files.js'
import { until } from '../../until.js'

const TABLES = '/v1/models/book/tables'
const WTE: FileTensor = { shape: [6, 3], numbers: Array(18).fill(1) }

/** It serves until a test has changed its models or let it listen: most leave it as it was. */
let service: ManagedService
let isFresh = false
const sockets: Socket[] = []
beforeEach(async () => {
  if (!isFresh) service = await managedService()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy() // a test that failed may have left one open
  await until(() => service.open.leases === 0)
  expect(service.open).toEqual({ uploads: 0, leases: 0 })
  const { data } = (await service.app.inject('/v1/models')).json()
  isFresh = data.length === 2 && data[1].model_version === '1' && !service.app.server.listening
  if (!isFresh) await service.close()
})
afterAll(async () => {
  if (isFresh) await service.close()
})

async function dial(port: number): Promise<Socket> {
  const socket = await open(port)
  sockets.push(socket)
  return socket
}

function get(headers: Readonly<Record<string, string>> = {}) {
  return service.app.inject({ url: TABLES, headers: { ...AUTHORIZATION, ...headers } })
}

function put(payload: Buffer, headers: Readonly<Record<string, string>> = {}) {
  return service.app.inject({
    method: 'PUT',
    url: TABLES,
    headers: { ...AUTHORIZATION, 'content-type': 'application/vnd.safetensors', ...headers },
    payload,
  })
}

describe('tables are read', () => {
  test.each([
    'application/json',
    'application/json, application/problem+json;q=0.5',
    'application/x-safetensors;q=0, application/json;q=0.1',
  ])('by a caller whose Accept names the errors’ type alone: %s', async (accept) => {
    const { statusCode, headers } = await get({ accept })
    expect([statusCode, headers['content-type']]).toEqual([200, 'application/vnd.safetensors'])
  })

  test.each([
    ['application/json, application/x-safetensors;q=0.1', 'application/x-safetensors'],
    ['application/json, */*;q=0.1', 'application/vnd.safetensors'],
  ])('as a type that Accept names beside the errors’ one: %s', async (accept, type) => {
    expect((await get({ accept })).headers['content-type']).toBe(type)
  })

  test.each(['text/html', 'application/json;q=0, image/png'])(
    'not by a caller who takes %s',
    async (accept) => {
      const answer = await get({ accept })
      expect([answer.statusCode, answer.json().error.code]).toEqual([406, 'not_acceptable'])
    },
  )

  test('as one file with its length, its hash and its version', async () => {
    const answer = await get()
    expect(answer.statusCode).toBe(200)
    const sha256 = createHash('sha256').update(answer.rawPayload).digest('hex')
    expect(answer.headers).toMatchObject({
      'content-type': 'application/vnd.safetensors',
      'content-length': String(answer.rawPayload.length),
      etag: `"1-${sha256}"`,
      'x-model-version': '1',
    })
    const tables = readTables(answer.rawPayload)
    expect(Object.keys(tables)).toEqual(['wte.weight', 'wpe.weight'])
    expect(tables['wte.weight'].shape).toEqual([6, 3])
    expect(tables['wte.weight'].numbers[0]).toBeCloseTo(0.3374, 4) // torch.manual_seed(123); Embedding(6, 3)
    expect(tables['wpe.weight'].shape).toEqual([4, 3])
  })

  test('not again by one who has them', async () => {
    const { etag } = (await get()).headers
    for (const known of [etag, `"0-a", W/${etag}`, '*']) {
      const answer = await get({ 'if-none-match': String(known) })
      expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', etag])
    }
    expect((await get({ 'if-none-match': '"1-other"' })).statusCode).toBe(200)
  })

  test('by HEAD without a body', async () => {
    const whole = await get()
    const head = await service.app.inject({ method: 'HEAD', url: TABLES, headers: AUTHORIZATION })
    expect(head.rawPayload.length).toBe(0)
    expect(head.headers['content-length']).toBe(whole.headers['content-length'])
    expect(head.headers.etag).toBe(whole.headers.etag)
  })
})

describe('while tables are read', () => {
  const url = '/v1/models/large/tables'
  const head = `GET ${url} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: ${AUTHORIZATION.authorization}\r\n\r\n`
  const [rows, width] = [3000, 1024]
  beforeEach(async () => {
    const payload = { embedding_dim: width, vocab_size: rows, position_embedding: 'none' }
    const made = await service.app.inject({
      ...{ method: 'PUT', url: '/v1/models/large', headers: AUTHORIZATION, payload },
    })
    expect(made.statusCode).toBe(201)
  })

  test('they stay the same while other tables are put', async () => {
    const port = await listen(service)
    const socket = await dial(port)
    socket.write(head)
    const [first] = await once(socket, 'data')
    socket.pause()
    const zeros = Buffer.alloc(4 * rows * width)
    for (let version = 2; version < 5; version++) {
      const file = tableFile({ 'wte.weight': { shape: [rows, width], bytes: zeros } })
      const headers = { ...AUTHORIZATION, 'content-type': 'application/x-safetensors' }
      const put = await service.app.inject({ method: 'PUT', url: `${url}`, headers, payload: file })
      expect(put.json().model_version).toBe(String(version))
    }
    const chunks: Buffer[] = [first]
    socket.on('data', (chunk) => chunks.push(chunk)).resume()
    await once(socket, 'end')
    const [answer] = parseAnswers(Buffer.concat(chunks))
    const sha256 = createHash('sha256').update(answer.body).digest('hex')
    expect(answer.headers.etag).toBe(`"1-${sha256}"`)
  })

  test('a client that leaves lets them go', async () => {
    const port = await listen(service)
    const socket = await dial(port)
    socket.write(head)
    await once(socket, 'data')
    socket.pause()
    expect(service.open.leases).toBe(1)
    socket.destroy()
    await until(() => service.open.leases === 0)
  })
})

describe('tables are exchanged', () => {
  test('rows come back as they were put, others stay', async () => {
    const before = readTables((await get()).rawPayload)
    const numbers = [...Array(15).fill(1), ...floats3([1.1, 1.2, 1.3])]
    const answer = await put(tableFile({ 'wte.weight': { shape: [6, 3], numbers } }))
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ model: 'book', model_version: '2' })
    expect(answer.headers['x-model-version']).toBe('2')
    const after = readTables((await get()).rawPayload)
    expect(after['wte.weight'].numbers).toEqual(numbers)
    expect(after['wpe.weight']).toEqual(before['wpe.weight'])
  })

  test('in small chunks, packed, and at any alignment', async () => {
    const header = JSON.stringify({
      'wpe.weight': { dtype: 'F32', shape: [4, 3], data_offsets: [0, 48] },
      'wte.weight': { dtype: 'F32', shape: [6, 3], data_offsets: [48, 120] },
    })
    const data = Buffer.concat([floats(Array(12).fill(2)), floats(Array(18).fill(1.1))])
    for (const padding of [0, 1, 2, 3]) {
      const file = rawFile(header + ' '.repeat(padding), data)
      expect((await put(gzipSync(file), { 'content-encoding': 'gzip' })).statusCode).toBe(200)
      expect((await chunked(file)).status).toBe(200)
    }
    const tables = readTables((await get()).rawPayload)
    expect(tables['wte.weight'].numbers).toEqual(floats3(Array(18).fill(1.1)))
    expect(tables['wpe.weight'].numbers).toEqual(Array(12).fill(2))
  })

  test('a file that was read back can be put again', async () => {
    const { rawPayload, headers } = await get()
    expect((await put(rawPayload, { 'if-match': String(headers.etag) })).statusCode).toBe(200)
    expect(readTables((await get()).rawPayload)).toEqual(readTables(rawPayload))
  })

  test('the model’s description names their source', async () => {
    const file = tableFile({ 'wte.weight': WTE })
    await put(file)
    const model = (await service.app.inject('/v1/models/book')).json()
    const sha256 = createHash('sha256').update(file).digest('hex')
    expect(model).toMatchObject({ model_version: '2', tables: { source: 'upload', sha256 } })
  })
})

describe('If-Match', () => {
  const file = tableFile({ 'wte.weight': WTE })

  test('lets through who names the present version, also among others, and *', async () => {
    for (const form of [(tag: string) => tag, (tag: string) => `"0-x", ${tag}`, () => '*']) {
      const { etag } = (await get()).headers
      expect((await put(file, { 'if-match': form(String(etag)) })).statusCode).toBe(200)
    }
  })

  test('refuses an old version, a weak one, and one of another service’s tables', async () => {
    const { etag } = (await get()).headers
    await put(file)
    const present = String((await get()).headers.etag)
    for (const given of [String(etag), `W/${present}`, '"2-0000"', '""']) {
      const answer = await put(file, { 'if-match': given })
      expect([answer.statusCode, answer.json().error.code], given).toEqual([412, 'precondition_failed'])
      expect(answer.json().error.param).toBe('if-match')
    }
    expect((await get()).headers.etag).toBe(present)
  })

  test.each(['1-ab', '"1', '', ',', '"1-a" "2-b"'])('refuses what is no list of ETags: %j', async (given) => {
    const answer = await put(file, { 'if-match': given })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toMatchObject({ code: 'invalid_request', param: 'if-match' })
  })

  test('of two writers at once the second is refused', async () => {
    const port = await listen(service)
    const { etag } = (await get()).headers
    const slow = await dial(port)
    slow.write(putHead(file.length, [`If-Match: ${etag}`]))
    slow.write(file.subarray(0, file.length - 4))
    await until(() => service.open.uploads === 1)
    expect((await put(file, { 'if-match': String(etag) })).statusCode).toBe(200)
    slow.write(file.subarray(file.length - 4))
    const [chunk] = await once(slow, 'data')
    expect(String(chunk)).toContain('412 Precondition Failed')
    slow.destroy()
    expect((await get()).headers['x-model-version']).toBe('2')
  })
})

describe('refused, and the tables untouched', () => {
  const whole = tableFile({ 'wte.weight': WTE })
  const tooLong = Buffer.alloc(8)
  tooLong.writeBigUInt64LE(65_537n)
  const cases: [string, Buffer, number, string, RegExp][] = [
    ['an empty body', Buffer.alloc(0), 400, 'invalid_request', /less than 8/],
    ['a header of more than 64 KiB', tooLong, 400, 'invalid_request', /at most 65536/],
    ['half a header', whole.subarray(0, 20), 400, 'invalid_request', /bytes of the header are missing/],
    ['a byte too few', whole.subarray(0, -1), 400, 'invalid_request', /last 1 bytes of "wte.weight"/],
    ['a byte too many', Buffer.concat([whole, Buffer.from('x')]), 400, 'invalid_request', /follow the last/],
    [
      'another shape',
      tableFile({ 'wte.weight': { shape: [3, 6], numbers: Array(18).fill(1) } }),
      422,
      'shape_mismatch',
      /float32 \[6, 3\].*float32 \[3, 6\]/,
    ],
    [
      'another element type',
      tableFile({ 'wte.weight': { shape: [6, 3], dtype: 'F16', bytes: Buffer.alloc(36) } }),
      422,
      'shape_mismatch',
      /float32.*float16/,
    ],
    [
      'an element type that no table has',
      tableFile({ 'wte.weight': { shape: [6, 3], dtype: 'I64', bytes: Buffer.alloc(144) } }),
      422,
      'shape_mismatch',
      /"wte.weight" must be float32 \[6, 3\]. Given: I64 \[6, 3\]/,
    ],
    [
      'a table that the model has not',
      tableFile({ 'lm_head.weight': WTE }),
      422,
      'shape_mismatch',
      /lm_head.*"wte.weight", "wpe.weight"/,
    ],
    [
      'another model’s metadata',
      tableFile({ 'wte.weight': WTE }, { architecture: 'bert' }),
      400,
      'invalid_request',
      /__metadata__.architecture.*gpt2.*bert/,
    ],
    [
      'unknown metadata',
      tableFile({ 'wte.weight': WTE }, { author: 'me' }),
      400,
      'invalid_request',
      /__metadata__.author/,
    ],
  ]

  test.each(cases)('%s', async (_, file, status, code, message) => {
    const before = (await get()).headers.etag
    for (const send of [put, (bytes: Buffer) => put(gzipSync(bytes), { 'content-encoding': 'gzip' })]) {
      const answer = await send(file)
      expect([answer.statusCode, answer.json().error.code]).toEqual([status, code])
      expect(answer.json().error.message).toMatch(message)
    }
    expect((await get()).headers.etag).toBe(before)
  })

  test('an upload that breaks off', async () => {
    const before = (await get()).headers.etag
    const port = await listen(service)
    const socket = await dial(port)
    socket.write(putHead(whole.length))
    socket.write(whole.subarray(0, whole.length - 10))
    await until(() => service.open.uploads === 1)
    socket.destroy()
    await until(() => service.open.uploads === 0)
    expect((await get()).headers.etag).toBe(before)
  })

  test('one whose time is over', async () => {
    const before = (await get()).headers.etag
    const port = await listen(service)
    const socket = await dial(port)
    socket.write(putHead(whole.length, ['X-Request-Timeout: 0.2']))
    socket.write(whole.subarray(0, whole.length - 10))
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toContain('504 Gateway Timeout')
    socket.destroy()
    await until(() => service.open.uploads === 0)
    expect((await get()).headers.etag).toBe(before)
  })

  test('a model that is not there', async () => {
    const answer = await service.app.inject({
      method: 'PUT',
      url: '/v1/models/nope/tables',
      headers: { ...AUTHORIZATION, 'content-type': 'application/x-safetensors' },
      payload: whole,
    })
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'model_not_found'])
  })
})

/** As float32 has them. */
function floats3(numbers: readonly number[]): number[] {
  return [...Float32Array.from(numbers)]
}

function putHead(length: number | undefined, headers: readonly string[] = []): string {
  return [
    `PUT ${TABLES} HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${AUTHORIZATION.authorization}`,
    'Content-Type: application/vnd.safetensors',
    length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    ...headers,
    '',
    '',
  ].join('\r\n')
}

/** Sends a file three bytes at a time. */
async function chunked(file: Buffer) {
  const port = service.app.server.listening
    ? (service.app.server.address() as { port: number }).port
    : await listen(service)
  const chunks: Buffer[] = [Buffer.from(putHead(undefined, ['Connection: close']))]
  for (let at = 0; at < file.length; at += 3) {
    const part = file.subarray(at, at + 3)
    chunks.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  chunks.push(Buffer.from('0\r\n\r\n'))
  return (await exchange(port, Buffer.concat(chunks)))[0]
}
