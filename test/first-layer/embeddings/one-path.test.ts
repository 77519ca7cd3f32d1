import type { KernelBackend, KernelFunc } from '@tensorflow/tfjs-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InputEmbeddingsAttrs } from '../../../src/first-layer/embeddings/op.js'
import { countKernel, type KernelCount } from '../../counting-kernel.js'
import {
  decodeBase64,
  decodeFloats,
  decodeNpy,
  decodeRaw,
  decodeSafetensors,
  floats,
  MEDIA_TYPES,
} from '../../decode.js'
import { embed, type TestAnswer, type TestService, testService } from '../../helper.js'

const CALL = { input_ids: [[1, 2, 3], [4, 5, 6]], outputs: ['input_embeddings'] } // biome-ignore format: short

const FORMS: [name: string, accept: string, fields: object, decode: (answer: TestAnswer) => Float32Array][] = [
  ['JSON numbers', MEDIA_TYPES.json, {}, (answer) => floats(decodeFloats(answer).input_embeddings)],
  ['base64', MEDIA_TYPES.json, { encoding_format: 'base64' }, (answer) => floats(decodeBase64(answer).input_embeddings)],
  ['npy', MEDIA_TYPES.npy, {}, ({ body }) => floats(decodeNpy(body))],
  ['safetensors', MEDIA_TYPES.safetensors, {}, ({ body }) => floats(decodeSafetensors(body).tensors.input_embeddings)],
  ['raw', MEDIA_TYPES.raw, {}, (answer) => floats(decodeRaw(answer))],
] // biome-ignore format: a table

let service: TestService
let kernel: KernelCount
beforeEach(async () => {
  service = await testService({ VOCAB_SIZE: '32', ARCHITECTURE: 'gpt2' })
})
afterEach(async () => {
  kernel.restore()
  await service.close()
})

describe('every served row comes through the op', () => {
  test.each(FORMS)('as %s', async (_, accept, fields) => {
    kernel = countKernel()
    expect((await embed(service, { ...CALL, ...fields }, { accept })).status).toBe(200)
    expect([kernel.calls, kernel.rows, kernel.sums]).toEqual([1, 6, 1])
  })

  // A kernel that gives 42 for every element: whatever went past it would show.
  const fortyTwo: KernelFunc = ({ inputs, backend, attrs }) => {
    const { ids, table } = inputs as unknown as Record<string, { shape: number[] }>
    const shape = [ids.shape[0], table.shape[1]]
    const { out } = attrs as unknown as InputEmbeddingsAttrs
    const values = (out ?? new Float32Array(shape[0] * shape[1])).fill(42) as Float32Array
    return { dataId: (backend as KernelBackend).write(values, shape, 'float32'), shape, dtype: 'float32' }
  }

  test.each(FORMS)('and nothing else gets into it, as %s', async (_, accept, fields, decode) => {
    kernel = countKernel(fortyTwo)
    const values = decode(await embed(service, { ...CALL, ...fields }, { accept }))
    expect(values.length).toBe(6 * 8)
    expect(values.every((value) => value === 42)).toBe(true)
  })

  test('token rows and the rows of the learned table, alone', async () => {
    kernel = countKernel(fortyTwo)
    const outputs = ['token_embeddings', 'position_embeddings']
    const tensors = decodeFloats(await embed(service, { ...CALL, outputs }))
    expect([kernel.calls, kernel.rows, kernel.sums]).toEqual([2, 6 + 3, 0])
    for (const name of outputs) expect([...new Set(floats(tensors[name]))]).toEqual([42])
  })

  test('the rows of the page on positions', async () => {
    kernel = countKernel(fortyTwo)
    const url = '/v1/models/default/position-embeddings?context_length=3'
    const { outputs } = (await service.app.inject({ url })).json()
    expect(outputs.position_embeddings.data.flat().every((value: number) => value === 42)).toBe(true)
    expect(kernel.rows).toBe(3)
  })

  test.each([
    ['llama', 6],
    ['transformer', 6 + 6], // its positions are computed and added in a separate run
    ['bloom', 6],
    ['deberta', 6],
    ['bert', 6 + 6 + 6], // token rows, token-type rows, position rows
  ])('under %s, %i rows', async (architecture, rows) => {
    kernel = countKernel()
    expect((await embed(service, { ...CALL, architecture })).status).toBe(200)
    expect(kernel.rows).toBe(rows)
  })
})
