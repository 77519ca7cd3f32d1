import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longestTurn } from '../../../count-turns.js'
import { type DatasetService, datasetService, get, upload } from './dataset-service.js'

const LARGEST = 2 ** 30
const RAW = { accept: 'application/octet-stream' }

let service: DatasetService
let sentence: string
beforeAll(async () => {
  service = await datasetService('memory', { MAX_BYTES_IN_FLIGHT: String(2 ** 26) })
  const text = 'The first layer of a language model.'
  sentence = (await upload(service, 'text/plain', text, { encoding: 'gpt2' })).json().id
})
afterAll(() => service.close())

describe('a window is as long as a request names, its work as long as the documents', () => {
  test.each(['none', 'concat', 'best_fit'])('the plan, packing %s', async (packing) => {
    const query = { context_length: LARGEST, batch_size: 1, packing, tail: 'pad' }
    const [turnMs, answer] = await longestTurn(get(service, `${sentence}/batches`, query))
    expect(answer.json()).toMatchObject({ num_windows: 1, num_padding: LARGEST - 8 })
    expect(turnMs).toBeLessThan(100)
  })

  test('a padded window is sent in blocks: its caller need not take more than it wants', async () => {
    const query = { context_length: LARGEST, batch_size: 1, tail: 'pad', outputs: 'input_ids' }
    const range = { ...RAW, range: 'bytes=0-39' }
    const [turnMs, answer] = await longestTurn(get(service, `${sentence}/batches/0`, query, range))
    expect([answer.statusCode, answer.headers['content-range']]).toEqual([206, `bytes 0-39/${4 * LARGEST}`])
    const { buffer, byteOffset } = answer.rawPayload
    expect([...new Int32Array(buffer, byteOffset, 10)]).toEqual([
      ...[464, 717, 7679, 286, 257, 3303, 2746, 13],
      ...[50256, 50256],
    ])
    expect(turnMs).toBeLessThan(100)
  })

  test.each([2 ** 30 + 1, 2 ** 31, 2 ** 53 - 1])('a longer one, %i, is refused by name', async (length) => {
    for (const path of [`${sentence}/batches`, `${sentence}/batches/0`]) {
      const { error } = (await get(service, path, { context_length: length, batch_size: 1 })).json()
      expect([error.code, error.param]).toEqual(['invalid_request', 'context_length'])
      expect(error.message).toContain(`at most ${LARGEST}`)
      expect(error.message).toContain(`Given: ${length}`)
    }
  })
})

describe('what is kept of datasets', () => {
  /** A body that is a large request by its length. */
  const large = () =>
    service.app.inject({
      method: 'POST',
      url: '/v1/tokenize',
      payload: { text: 'a '.repeat(2 ** 18), count_only: true },
    })
  const held = async () =>
    Number(/inlet_bytes_in_flight (\d+)/.exec((await service.app.inject('/metrics')).body)?.[1])

  test('an order for every epoch and seed keeps nothing from other requests', async () => {
    const ids = Buffer.alloc(800_000, 1)
    const long = (await upload(service, 'application/octet-stream', ids, { dtype: 'uint16' })).json().id
    const recipe = { context_length: 4, stride: 1, batch_size: 1, shuffle: true }
    for (let seed = 0; seed < 15; seed++) {
      const query = { ...recipe, seed, epoch: seed % 3 }
      expect((await get(service, `${long}/batches/0`, query)).statusCode).toBe(200)
      expect(await held()).toBeLessThan(2 ** 20)
      expect((await large()).statusCode).toBe(200)
    }
  })

  test('what can never be kept is refused with both numbers', async () => {
    const many = Buffer.alloc(8_000_000)
    const { id } = (await upload(service, 'application/octet-stream', many, { dtype: 'uint16' })).json()
    const query = { context_length: 1, batch_size: 1, shuffle: true, seed: 1 }
    const { error } = (await get(service, `${id}/batches/0`, query)).json()
    expect([error.code, error.message]).toEqual([
      'insufficient_memory',
      expect.stringMatching(/takes 15999996 bytes. At most 16777216/),
    ])
  })
})
