import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import { post, type TestService, testService } from '../../helper.js'
import { decoded, errorOf, idsInput, infer, textInput } from './inference.js'

let service: TestService
beforeAll(async () => {
  const folder = fileURLToPath(new URL('../../goldens/static/', import.meta.url))
  const folders = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  const takingIds = folders.map((entry) => {
    const { card } = entry
    return { ...entry, card: { ...card, pooling: { ...card.pooling!, acceptIds: true } } }
  })
  service = await testService({}, { folders: takingIds })
})
afterAll(() => service.close())

const url = '/v2/models/wide/infer'
const texts = ['the cat', 'dog', 'a kitten ran']

async function native(body: object): Promise<number[][]> {
  const answer = await post(service, '/v1/embeddings', { model: 'wide', ...body })
  return answer.json().data.map(({ embedding }: { embedding: number[] }) => embedding)
}

describe('a static model', () => {
  test('gives `embeddings`, the numbers of /v1/embeddings', async () => {
    const expected = await native({ input: texts })
    const { json, outputs } = decoded(await infer(service, { inputs: [textInput(...texts)] }, { url }))
    const [{ name, datatype, shape, data }] = outputs
    expect({ name, datatype, shape }).toEqual({
      name: 'embeddings',
      datatype: 'FP32',
      shape: [3, expected[0].length],
    })
    expect(data).toEqual(expected.flat())
    expect(json.parameters).toEqual({ num_tokens: expect.any(Number) })
  })

  test('in bytes, shortened', async () => {
    const request = { inputs: [textInput(...texts)], parameters: { binary_data_output: true, dimensions: 5 } }
    const [{ shape, bytes }] = decoded(await infer(service, request, { url })).outputs
    expect(shape).toEqual([3, 5])
    const numbers = new Float32Array(Uint8Array.from(bytes!).buffer)
    expect([...numbers]).toEqual((await native({ input: texts, dimensions: 5 })).flat().map(Math.fround))
  })

  test('of ids, without those that a mask hides', async () => {
    const shape = [2, 2]
    const inputs = [
      { name: 'input_ids', shape, datatype: 'INT64', data: [4, 5, 6, 7] },
      { name: 'attention_mask', shape, datatype: 'INT64', data: [1, 1, 1, 0] },
    ]
    const [{ data }] = decoded(await infer(service, { inputs }, { url })).outputs
    expect(data).toEqual((await native({ input: [[4, 5], [6]] })).flat())
  })

  test('of a body that is one text', async () => {
    const answer = await post(service, url, 'the cat', { 'inference-header-content-length': '0' })
    const [{ shape, bytes }] = decoded(answer).outputs
    const numbers = new Float32Array(Uint8Array.from(bytes!).buffer)
    const expected = await native({ input: 'the cat' })
    expect(shape).toEqual([1, expected[0].length])
    expect([...numbers]).toEqual(expected.flat().map(Math.fround))
  })

  test('has it in its metadata', async () => {
    const { outputs } = (await service.app.inject('/v2/models/wide')).json()
    expect(outputs).toEqual([{ name: 'embeddings', datatype: 'FP32', shape: [-1, expect.any(Number)] }])
  })

  test.each([
    [
      { inputs: [idsInput(1)], outputs: [{ name: 'input_embeddings' }] },
      422,
      /must be among what a static model gives/,
    ],
    [
      { inputs: [idsInput(1)], parameters: { dimensions: 100_000 } },
      400,
      /`parameters.dimensions` must be at most/,
    ],
    [{ inputs: [idsInput(1)], parameters: { dtype: 'float16' } }, 400, /`parameters.dtype` is not a field/],
  ])('refuses %j', async (request, status, message) => {
    const answer = await infer(service, request, { url })
    expect([answer.status, errorOf(answer)]).toEqual([status, expect.stringMatching(message)])
  })
})
