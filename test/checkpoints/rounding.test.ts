import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rounded } from '../../src/first-layer/tensors/sixteen-bits.js'
import { type TestService, testService } from '../helper.js'
import { type FileTensor, tableFile } from '../table-files.js'
import { stored } from '../twins/stored-numbers.js'
import { CONFIG, ModelsFolder } from './folders.js'

let models: ModelsFolder
let service: TestService | undefined
beforeEach(async () => {
  models = await ModelsFolder.make()
})
afterEach(async () => {
  await service?.close()
  await models.remove()
})

const TYPE = 'bfloat16'
const round = (value: number) => rounded(Math.fround(value), TYPE)
const fround = Math.fround

/** Numbers that bfloat16 holds. */
function tensor(shape: readonly number[], numbers: readonly number[]): FileTensor {
  const words = stored(Float32Array.from(numbers), TYPE)
  return { shape, dtype: 'BF16', bytes: Buffer.from(words.buffer, words.byteOffset, words.byteLength) }
}

/** The rows that block 0 of a model takes for the ids 0, 1, 2, 3, in one of the types. */
async function ask(config: object, tensors: Readonly<Record<string, FileTensor>>) {
  const folder = { ...CONFIG, dtype: TYPE, ...config }
  await models.write('a', { 'config.json': folder, 'model.safetensors': tableFile(tensors) })
  service = await testService({}, { folders: await models.entries() })
  const { app } = service
  return async (dtype: string, more: object = {}) => {
    const payload = { ...more, model: 'a', input_ids: [[0, 1, 2, 3]], outputs: ['input_embeddings'], dtype }
    const answer = await app.inject({ method: 'POST', url: '/v1/input-embeddings', payload })
    expect(answer.statusCode, answer.body).toBe(200)
    return (answer.json().outputs.input_embeddings.data.flat(Infinity) as number[]).map(fround)
  }
}

const WIDTH = 4
const rows = Array.from({ length: 16 }, (_, i) => round(Math.sin(i + 1) * 3))
const others = Array.from({ length: 16 }, (_, i) => round(Math.cos(i * 7) * 0.3))
const more = Array.from({ length: 16 }, (_, i) => round(Math.cos(i * 3) * 0.05))
const WEIGHT = [1.5, 0.75, 1.125, 0.5].map(round)
const BIAS = [0.1, -0.2, 0.3, 0.7].map(round)

function normalised(values: readonly number[], epsilon: number): number[] {
  const out: number[] = []
  for (let at = 0; at < values.length; at += WIDTH) {
    const row = values.slice(at, at + WIDTH)
    const mean = row.reduce((a, b) => a + b, 0) / WIDTH
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / WIDTH
    out.push(...row.map((x) => (x - mean) / Math.sqrt(variance + epsilon)))
  }
  return out
}
const affine = (values: readonly number[]) =>
  values.map((x, i) => fround(x * WEIGHT[i % WIDTH]! + BIAS[i % WIDTH]!))

describe('in a model’s own 16-bit dtype each step rounds as PyTorch does', () => {
  const BERT = {
    'embeddings.word_embeddings.weight': tensor([4, 4], rows),
    'embeddings.position_embeddings.weight': tensor([4, 4], others),
    'embeddings.token_type_embeddings.weight': tensor([1, 4], more.slice(0, 4)),
    'embeddings.LayerNorm.weight': tensor([4], WEIGHT),
    'embeddings.LayerNorm.bias': tensor([4], BIAS),
  }
  const size = { hidden_size: WIDTH, layer_norm_eps: 1e-5 }

  test('BERT: (row + type) + position, LayerNorm; in float32 no step rounds', async () => {
    const get = await ask({ ...size, model_type: 'bert', type_vocab_size: 1 }, BERT)
    const typed = (i: number) => fround(rows[i]! + more[i % WIDTH]!)
    const sums = rows.map((_, i) => round(fround(round(typed(i)) + others[i]!)))
    expect(await get(TYPE)).toEqual(affine(normalised(sums, 1e-5)).map(round))
    const whole = affine(
      normalised(
        rows.map((_, i) => fround(typed(i) + others[i]!)),
        1e-5,
      ),
    )
    const single = await get('float32')
    for (const [i, value] of single.entries()) expect(value).toBeCloseTo(whole[i]!, 6)
    expect(single.map(round)).not.toEqual(affine(normalised(sums, 1e-5)).map(round))
  })

  test('DeBERTa: its LayerNorm rounds the normalised row, the product and the sum', async () => {
    const config = { ...size, model_type: 'deberta', type_vocab_size: 0 }
    const get = await ask(config, BERT)
    const sums = rows.map((row, i) => round(fround(row + others[i]!)))
    const parts = normalised(sums, 1e-5).map((x, i) =>
      round(round(round(x) * WEIGHT[i % WIDTH]!) + BIAS[i % WIDTH]!),
    )
    expect(await get(TYPE)).toEqual(parts)
  })

  /** XGLM's sines of position `p`, as tensor2tensor makes them. */
  const sines = (p: number) =>
    [Math.sin, Math.cos].flatMap((wave) => [1, 1e-4].map((f) => fround(wave(fround(p * fround(f))))))
  const XGLM = { model_type: 'xglm', d_model: WIDTH, hidden_size: undefined, scale_embedding: true }
  const ROWS = { 'model.embed_tokens.weight': tensor([4, 4], rows) }

  test('XGLM: rows × √C, sines in the model’s type', async () => {
    const get = await ask(XGLM, ROWS)
    const expected = rows.map((row, i) => round(round(row * 2) + round(sines(2 + (i >> 2))[i % 4]!)))
    expect(await get(TYPE)).toEqual(expected)
  })

  test('XGLM without a scale: sines in the model’s dtype; unrounded in float32', async () => {
    const get = await ask({ ...XGLM, scale_embedding: false }, ROWS)
    const at = (i: number) => sines(2 + (i >> 2))[i % 4]!
    expect(await get(TYPE)).toEqual(rows.map((row, i) => round(row + round(at(i)))))
    expect(await get('float32')).toEqual(rows.map((row, i) => fround(row + at(i))))
  })

  test('another 16-bit type, or another scheme than the model’s: rounded once', async () => {
    const get = await ask({ ...XGLM, scale_embedding: false }, ROWS)
    const at = (i: number, from: number) => sines(from + (i >> 2))[i % 4]!
    expect(await get('float16')).toEqual(
      rows.map((row, i) => rounded(Math.fround(row + at(i, 2)), 'float16')),
    )
    await service?.close()
    const getLlama = await ask({ hidden_size: WIDTH }, ROWS)
    const position_embedding = { type: 'sinusoidal', variant: 'tensor2tensor', precision: 'float32' }
    expect(await getLlama(TYPE, { position_embedding })).toEqual(rows.map((row, i) => round(row + at(i, 0))))
  })

  test('XGLM: the pad id’s row is zeros', async () => {
    const get = await ask({ ...XGLM, pad_token_id: 3 }, ROWS)
    const values = await get(TYPE)
    expect(values.slice(4, 8)).toEqual(rows.slice(4, 8).map((row) => round(row * 2))) // position 1 has row 3
    expect(values.slice(0, 4)).not.toEqual(rows.slice(0, 4).map((row) => round(row * 2)))
  })
})
