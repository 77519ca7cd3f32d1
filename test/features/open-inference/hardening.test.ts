import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tensorCount } from '../../../src/first-layer/embeddings/model.js'
import { listen, post, type TestService, testService } from '../../helper.js'
import { checkProperty } from '../../property.js'
import { exchange, open, parseAnswers } from '../../raw-http.js'
import { until } from '../../until.js'
import {
  bytesTensor,
  decoded,
  encoded,
  errorOf,
  type GivenRequest,
  INFER,
  idsInput,
  int64s,
  textInput,
} from './inference.js'

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService({
    MAX_BODY_BYTES: '2000000',
    MAX_JSON_BODY_BYTES: '1000000',
    MAX_JSON_RESPONSE_BYTES: '100000',
  })
  port = await listen(service)
})
afterAll(() => service.close())

/** The memory of the service: no request may leave anything behind. */
async function held(): Promise<readonly unknown[]> {
  const text = (await service.app.inject('/metrics')).body
  return [/^inlet_bytes_in_flight (\d+)/m.exec(text)?.[1], tensorCount()]
}

let before: readonly unknown[]
/** A connection's end may come before its bytes are given back. */
async function untilHeld(): Promise<void> {
  for (let text = ''; text !== JSON.stringify(before); text = JSON.stringify(await held()))
    await setTimeout(1)
}

beforeEach(async () => {
  before = await held()
})

const JSON_LENGTH = 'inference-header-content-length'

/** A request as it stands on the wire. */
function raw(body: Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const all = { host: 'x', connection: 'close', 'content-length': String(body.length), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`POST ${INFER} HTTP/1.1\r\n${lines.join('')}\r\n`), body])
}

const GOOD: GivenRequest = {
  inputs: [{ name: 'input_ids', datatype: 'INT64', shape: [3], bytes: int64s(1, 2, 3) }],
  outputs: [{ name: 'input_ids' }],
}

/** Sends it, expects a refusal in the protocol's form, and that the service works as before. */
async function expectRefused(bytes: Buffer, status: number | readonly number[] = 400): Promise<string> {
  const [answer] = await exchange(port, bytes)
  expect([status].flat(), answer.body.toString()).toContain(answer.status)
  const { error } = JSON.parse(answer.body.toString())
  expect(typeof error).toBe('string')
  const { body, headers } = encoded(GOOD)
  const [good] = await exchange(port, raw(body, headers))
  expect([good.status, decoded(good).outputs[0].data]).toEqual([200, [1, 2, 3]])
  await untilHeld()
  return error
}

describe('the header with the length of the JSON', () => {
  const { body } = encoded(GOOD)
  test.each([
    ...['-1', '-2147483648', '2147483648', '4294967296', '9223372036854775808', '1e3', '0x10', '+5'],
    ...[' ', '', '1.5', 'abc', '12, 12', '999999', '-0', '１２', '1'.repeat(5000)],
  ])('%j', async (length) => {
    await expectRefused(raw(body, { [JSON_LENGTH]: length }))
  })

  test('shorter or longer than the JSON', async () => {
    const { headers } = encoded(GOOD)
    const exact = Number(headers[JSON_LENGTH])
    for (const length of [1, exact - 1, exact + 1, body.length]) {
      await expectRefused(raw(body, { [JSON_LENGTH]: String(length) }))
    }
  })

  test('in a body of chunks, whose length is not known before its end', async () => {
    const bytes = Buffer.from('{}')
    const chunked = Buffer.from(
      `POST ${INFER} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n${JSON_LENGTH}: 100\r\n\r\n2\r\n${bytes}\r\n0\r\n\r\n`,
    )
    expect(await expectRefused(chunked)).toContain('at most the body’s length, 2')
  })
})

describe('sizes of binary inputs', () => {
  const sized = (
    size: unknown,
    shape: readonly unknown[] = [3],
    bytes = int64s(1, 2, 3),
    datatype = 'INT64',
  ) => {
    const input = { name: 'input_ids', datatype, shape, parameters: { binary_data_size: size } }
    const json = Buffer.from(JSON.stringify({ inputs: [input] }))
    return raw(Buffer.concat([json, bytes]), { [JSON_LENGTH]: String(json.length) })
  }

  test.each<[unknown, string]>([
    [-24, 'integer of at least 0'],
    [24.5, 'integer of at least 0'],
    ['24', 'integer of at least 0'],
    [2 ** 53, 'integer of at least 0'],
    [23, 'Unexpected additional input data: 1 bytes'],
    [25, 'expecting 1 additional bytes'],
    [2 ** 31, 'expecting 2147483624 additional bytes'],
    [2 ** 52, 'additional bytes'],
    [0, 'Unexpected additional input data: 24 bytes'],
  ])('%j', async (size, message) => {
    expect(await expectRefused(sized(size))).toContain(message)
  })

  test.each<[readonly unknown[], string]>([
    [[-3], 'must be an integer of at least 0'],
    [[2 ** 53], 'must be an integer of at least 0'],
    [[1.5], 'must be an integer of at least 0'],
    [['3'], 'must be an integer of at least 0'],
    [[2 ** 52], 'has 36028797018963970 bytes. Given: 24'],
    [[2 ** 31, 2 ** 31], 'at most 65536 documents'],
    [[65_536, 2 ** 31], 'has 1125899906842624 bytes. Given: 24'],
    [[4], 'has 32 bytes. Given: 24'],
    [[3, 0], 'must not be empty'],
    [new Array(1000).fill(1), 'must have at most 8 elements'],
  ])('shape %j', async (shape, message) => {
    expect(await expectRefused(sized(24, shape))).toContain(message)
  })

  test('data beside a size', async () => {
    const input = { ...idsInput(1), parameters: { binary_data_size: 8 } }
    const json = Buffer.from(JSON.stringify({ inputs: [input] }))
    const bytes = raw(Buffer.concat([json, int64s(1)]), { [JSON_LENGTH]: String(json.length) })
    expect(await expectRefused(bytes)).toContain('needed, not both')
  })

  test('bytes behind inputs in JSON', async () => {
    const json = Buffer.from(JSON.stringify({ inputs: [idsInput(1)] }))
    const bytes = raw(Buffer.concat([json, int64s(1)]), { [JSON_LENGTH]: String(json.length) })
    expect(await expectRefused(bytes)).toContain('Unexpected additional input data: 8 bytes')
  })
})

describe('JSON', () => {
  const deep = (levels: number, before: string) => Buffer.from(before + '['.repeat(levels))
  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['not JSON', Buffer.from('hello')],
    ['a list', Buffer.from('[]')],
    ['cut off', encoded({ inputs: [textInput('a')] }).body.subarray(0, -3)],
    ['cut off in a large body', encoded({ inputs: [textInput('a'.repeat(100_000))] }).body.subarray(0, -3)],
    ['250,000 levels', deep(250_000, '')],
    ['250,000 levels of inputs', deep(250_000, '{"inputs":')],
    ['250,000 levels of data', deep(250_000, '{"inputs":[{"name":"input_ids","data":')],
    ['250,000 levels of an unknown member', deep(250_000, '{"x":')],
    ['250,000 levels, closed', Buffer.from(`{"inputs":${'['.repeat(250_000)}${']'.repeat(250_000)}}`)],
    ['60 KB of levels', deep(60_000, '{"inputs":')],
    ['60 KB of inputs', Buffer.from(`{"inputs":[${'{},'.repeat(20_000)}{}]}`)],
    ['500 KB of inputs', Buffer.from(`{"inputs":[${'{},'.repeat(170_000)}{}]}`)],
    ['60 KB of outputs', Buffer.from(`{"inputs":[],"outputs":[${'{},'.repeat(19_000)}{}]}`)],
    [
      '60 KB of parameters',
      Buffer.from(
        JSON.stringify({
          inputs: [],
          parameters: Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`p${i}`, 1])),
        }),
      ),
    ],
    ['no inputs', Buffer.from('{"outputs":[]}')],
    ['inputs that are null', Buffer.from('{"inputs":null}')],
    ['an input that is null', Buffer.from('{"inputs":[null]}')],
    ['not UTF-8', Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff]), Buffer.from('"}')])],
  ])('%s', async (_, body) => {
    await expectRefused(raw(body))
  })

  test('over its limit, with bytes behind it or without', async () => {
    const body = Buffer.from(`{"x":"${'a'.repeat(1_000_000)}"}`)
    const bodies = [
      raw(body),
      raw(body, { [JSON_LENGTH]: String(body.length) }),
      raw(Buffer.alloc(2_000_001), { [JSON_LENGTH]: '10' }),
      raw(Buffer.alloc(2_000_001), { [JSON_LENGTH]: '0' }),
    ]
    const outcomes = await Promise.allSettled(bodies.map((bytes) => expectRefused(bytes, 413)))
    await untilHeld()
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
  })

  test('that would be too large as an answer', async () => {
    const { body } = encoded({ inputs: [idsInput(...Array.from({ length: 1000 }, (_, i) => i))] })
    expect(await expectRefused(raw(body), 413)).toContain('application/json must be at most 100000 bytes')
  })
})

describe('a body that comes in pieces', () => {
  const { body, headers } = encoded({ ...GOOD, inputs: [...GOOD.inputs] })

  test('of one byte each, with its length and in chunks', async () => {
    for (const isChunked of [false, true]) {
      const socket = await open(port)
      socket.setNoDelay(true)
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`
      socket.write(
        `POST ${INFER} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${length}\r\n${JSON_LENGTH}: ${headers[JSON_LENGTH]}\r\n\r\n`,
      )
      for (const byte of body) {
        const one = Buffer.from([byte])
        socket.write(isChunked ? Buffer.concat([Buffer.from('1\r\n'), one, Buffer.from('\r\n')]) : one)
        await setTimeout(0)
      }
      if (isChunked) socket.write('0\r\n\r\n')
      await new Promise((resolve) => socket.once('end', resolve))
      socket.destroy()
      const [answer] = parseAnswers(Buffer.concat(chunks))
      expect([answer.status, decoded(answer).outputs[0].data]).toEqual([200, [1, 2, 3]])
    }
  })

  test('and is cut off leaves nothing behind', async () => {
    for (const length of [1, 60, body.length - 1]) {
      const socket = await open(port)
      const bytes = raw(body, headers)
      const begun = once(service.app.server, 'request')
      socket.write(bytes.subarray(0, bytes.length - body.length + length))
      await begun
      socket.destroy()
    }
    await until(() => service.log.lines.filter(({ status }) => status === 499).length >= 3)
    await untilHeld()
  })

  test('is left by a caller that does not read its answer', async () => {
    const parameters = {
      context_length: 512,
      stride: 1,
      binary_data_output: true,
      position_embedding: 'sinusoidal',
    }
    const ids = Array.from({ length: 20_000 }, (_, i) => i)
    const large = encoded({
      inputs: [{ name: 'input_ids', datatype: 'INT64', shape: [20_000], bytes: int64s(...ids) }],
      parameters,
    })
    const broken = () => service.log.lines.filter(({ brokenOff }) => brokenOff).length
    const earlier = broken()
    for (const coding of ['identity', 'gzip']) {
      const socket = await open(port)
      socket.write(raw(large.body, { ...large.headers, 'accept-encoding': coding }))
      await new Promise((resolve) => socket.once('data', resolve))
      socket.destroy()
    }
    await until(() => broken() >= earlier + 2)
    await untilHeld()
  })
})

test('no bytes make the service fail', async () => {
  const { body, headers } = encoded({
    ...GOOD,
    inputs: [{ ...textInput(), shape: [2], data: undefined, bytes: bytesTensor('abc', 'de') }],
  })
  const someChange = fc.record({ at: fc.nat(body.length - 1), byte: fc.nat(255) })
  const someLength = fc.oneof(
    { weight: 3, arbitrary: fc.constant(headers[JSON_LENGTH]) },
    fc.integer({ min: -5, max: body.length + 5 }).map(String),
    fc.string({ unit: 'grapheme-ascii', maxLength: 5 }),
  )
  const property = fc.asyncProperty(
    fc.array(someChange, { maxLength: 4 }),
    someLength,
    fc.nat(body.length),
    async (changes, length, cut) => {
      const changed = Buffer.from(body)
      for (const { at, byte } of changes) changed[at] = byte
      const sent = cut % 3 === 0 ? changed.subarray(0, cut) : changed
      const answer = await post(service, INFER, sent, { [JSON_LENGTH]: length })
      expect(answer.status, answer.body.toString()).toBeLessThan(500)
      if (answer.status !== 200) errorOf(answer)
    },
  )
  await checkProperty(property, 100)
})
