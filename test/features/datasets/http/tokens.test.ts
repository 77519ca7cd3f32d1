import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DatasetService, datasetService, get, PLACES, uploadIds } from './dataset-service.js'

const DOCUMENTS = [Array.from({ length: 1000 }, (_, i) => (i * 7) % 5000), [1, 2, 3]]

describe.each(PLACES)('the ids of a dataset kept in %s', (place) => {
  let service: DatasetService
  let id: string
  let bytes: Buffer
  beforeAll(async () => {
    service = await datasetService(place)
    id = await uploadIds(service, DOCUMENTS, { encoding: 'gpt2' })
    bytes = Buffer.from(Uint16Array.from(DOCUMENTS.flat()).buffer)
  })
  afterAll(() => service.close())

  const tokens = (headers: Record<string, string> = {}) => get(service, `${id}/tokens`, {}, headers)

  test('come as the file that nanoGPT reads', async () => {
    const answer = await tokens()
    expect(answer.statusCode).toBe(200)
    expect(answer.rawPayload.equals(bytes)).toBe(true)
    expect(answer.headers).toMatchObject({
      ...{ 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) },
      ...{ 'accept-ranges': 'bytes', 'x-tensor-dtype': 'uint16' },
      'cache-control': 'private, max-age=31536000, immutable',
    })
    const { sha256 } = (await get(service, id)).json()
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  test.each([
    ['bytes=0-', 0, 2006],
    ['bytes=10-19', 10, 20],
    ['bytes=2000-9999', 2000, 2006],
    ['bytes=-6', 2000, 2006],
    ['bytes=-9999', 0, 2006],
  ])('%s is a 206', async (range, start, end) => {
    const answer = await tokens({ range })
    expect(answer.statusCode).toBe(206)
    expect(answer.headers['content-range']).toBe(`bytes ${start}-${end - 1}/2006`)
    expect(answer.headers['content-length']).toBe(String(end - start))
    expect(answer.rawPayload.equals(bytes.subarray(start, end))).toBe(true)
  })

  test.each(['bytes=2006-', 'bytes=-0'])('%s is a 416 with the length', async (range) => {
    const answer = await tokens({ range })
    expect([answer.statusCode, answer.json().error.code]).toEqual([416, 'range_not_satisfiable'])
    expect(answer.headers['content-range']).toBe('bytes */2006')
  })

  test('several ranges, other units and nonsense come whole', async () => {
    for (const range of ['bytes=0-1,4-5', 'items=0-1', 'bytes=5-2', 'bytes=-']) {
      const answer = await tokens({ range })
      expect([answer.statusCode, answer.rawPayload.length], range).toEqual([200, 2006])
    }
  })

  test('If-Range holds for this file alone, If-None-Match is a 304', async () => {
    const { etag } = (await tokens()).headers as { etag: string }
    expect((await tokens({ range: 'bytes=0-1', 'if-range': etag })).statusCode).toBe(206)
    expect((await tokens({ range: 'bytes=0-1', 'if-range': '"other"' })).statusCode).toBe(200)
    for (const tag of [etag, '*', `"other", ${etag}`]) {
      const answer = await tokens({ 'if-none-match': tag })
      expect([answer.statusCode, answer.body], tag).toEqual([304, ''])
      expect(answer.headers.etag).toBe(etag)
    }
    expect((await tokens({ 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('come as npy, header and all, by range too', async () => {
    const whole = await tokens({ accept: 'application/x-npy' })
    expect(whole.headers['content-type']).toBe('application/x-npy')
    const file = whole.rawPayload
    expect(file.subarray(1, 6).toString('latin1')).toBe('NUMPY')
    expect(file.toString('latin1')).toContain("'descr': '<u2'")
    expect(file.toString('latin1')).toContain("'shape': (1003,)")
    expect(file.subarray(file.length - bytes.length).equals(bytes)).toBe(true)
    const part = await tokens({ accept: 'application/x-npy', range: 'bytes=100-199' })
    expect(part.statusCode).toBe(206)
    expect(part.rawPayload.equals(file.subarray(100, 200))).toBe(true)
    expect(whole.headers.etag).not.toBe((await tokens()).headers.etag)
  })

  test('documents come one by one', async () => {
    const second = (await get(service, `${id}/documents/1`)).json()
    expect(second).toMatchObject({
      document: 1,
      start: 1000,
      num_tokens: 3,
      input_ids: [1, 2, 3],
      text: '"#$',
    })
    for (const [document, status] of [
      ['2', 400],
      ['-1', 400],
      ['x', 400],
    ] as const) {
      const answer = await get(service, `${id}/documents/${document}`)
      expect([answer.statusCode, answer.json().error.param], document).toEqual([status, 'document'])
    }
    const plain = await uploadIds(service, [[7, 8]])
    expect((await get(service, `${plain}/documents/0`)).json()).toEqual({
      ...{ document: 0, start: 0, num_tokens: 2, input_ids: [7, 8], text: null },
    })
  })
})
