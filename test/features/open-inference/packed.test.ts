import { deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post, type TestService, testService } from '../../helper.js'
import { encoded, errorOf, INFER, infer, int64s } from './inference.js'

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

test('no answer is packed', async () => {
  const answer = await infer(service, REQUEST, { headers: { 'accept-encoding': 'gzip' } })
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined])
})
