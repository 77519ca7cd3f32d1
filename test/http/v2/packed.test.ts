import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post, type TestService, testService } from '../../helper.js'
import { decoded, encoded, errorOf, INFER, idsInput, infer, int64s } from './inference.js'

let service: TestService
beforeAll(async () => {
  service = await testService({ MAX_BODY_BYTES: '100000', MAX_JSON_BODY_BYTES: '100000' })
})
afterAll(() => service.close())

const IDS = Array.from({ length: 900 }, (_, i) => i)
const REQUEST = {
  inputs: [{ name: 'input_ids', datatype: 'INT64', shape: [900], bytes: int64s(...IDS) }],
  parameters: { binary_data_output: true },
}

describe('a packed request', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('%s: the header counts the JSON before packing', async (coding, pack) => {
    const { body, headers } = encoded(REQUEST)
    const packed = await post(service, INFER, pack(body), { ...headers, 'content-encoding': coding })
    expect(packed.status).toBe(200)
    expect(packed.body).toEqual((await infer(service, REQUEST)).body)
  })

  test('that is not of its declared form', async () => {
    const answer = await post(service, INFER, 'not gzip', { 'content-encoding': 'gzip' })
    expect([answer.status, errorOf(answer)]).toEqual([400, expect.stringContaining('must be gzip')])
  })

  test('in an unknown coding is told which there are', async () => {
    const answer = await post(service, INFER, 'x', { 'content-encoding': 'zip' })
    expect([answer.status, answer.headers['accept-encoding']]).toEqual([415, 'gzip, br, deflate'])
    errorOf(answer)
  })

  test('is bounded unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(300_000, ' '))
    const packed = { 'content-encoding': 'gzip' }
    for (const headers of [packed, { ...packed, 'inference-header-content-length': '10' }]) {
      const answer = await post(service, INFER, bomb, headers)
      expect([answer.status, errorOf(answer)]).toEqual([413, expect.stringContaining('at most 100000 bytes')])
    }
  })
})

describe('a packed answer', () => {
  const UNPACK = { gzip: gunzipSync, deflate: inflateSync }
  test.each<[string, 'gzip' | 'deflate' | undefined]>([
    ['gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['gzip, deflate', 'gzip'],
    ['gzip;q=0.2, deflate;q=0.9', 'deflate'],
    ['gzip;q=0, deflate;q=0', undefined],
    ['br, zstd', undefined],
    ['identity', undefined],
  ])('Accept-Encoding: %s', async (asked, coding) => {
    const answer = await infer(service, REQUEST, { headers: { 'accept-encoding': asked } })
    const plain = await infer(service, REQUEST)
    expect(answer.headers['content-encoding']).toBe(coding)
    expect(answer.headers.vary).toBe('Accept-Encoding')
    expect(answer.headers['inference-header-content-length']).toBe(
      plain.headers['inference-header-content-length'],
    )
    const body = coding === undefined ? answer.body : UNPACK[coding](answer.body)
    expect(body.equals(plain.body)).toBe(true)
  })

  test('of many blocks, and as JSON', async () => {
    const parameters = { context_length: 64, stride: 1 }
    for (const isBinary of [true, false]) {
      const request = {
        inputs: [idsInput(...IDS)],
        parameters: { ...parameters, binary_data_output: isBinary },
      }
      const answer = await infer(service, request, { headers: { 'accept-encoding': 'gzip' } })
      const plain = await infer(service, request)
      expect(plain.body.length).toBeGreaterThan(1 << 20)
      expect(gunzipSync(answer.body).equals(plain.body)).toBe(true)
      expect(decoded(plain).outputs).toHaveLength(2)
    }
  })

  test('is not packed where it is short', async () => {
    const request = { inputs: [idsInput(1)], outputs: [{ name: 'input_ids' }] }
    const answer = await infer(service, request, { headers: { 'accept-encoding': 'gzip' } })
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined])
  })
})
