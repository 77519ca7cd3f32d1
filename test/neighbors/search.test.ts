import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { namedArchitecture } from '../../src/embeddings/architectures/registry.js'
import { selectBackend } from '../../src/embeddings/backends/select.js'
import { meanOfRows } from '../../src/embeddings/mean-rows.js'
import { Model } from '../../src/embeddings/model.js'
import { bindPositionEmbedding } from '../../src/embeddings/positions/position-embedding.js'
import { allocateTables } from '../../src/embeddings/table-memory.js'
import { UNBOUNDED } from '../../src/load/claim.js'
import type { FloatDtype } from '../../src/named-tensor.js'
import { Candidates } from '../../src/neighbors/candidates.js'
import { METRICS, type Metric } from '../../src/neighbors/metric.js'
import { findNeighbors } from '../../src/neighbors/search.js'
import { absentTokenizer } from '../../src/tokens/absent-tokenizer.js'
import { stored, valuesOf } from '../twins/stored-numbers.js'

beforeAll(async () => {
  await selectBackend('cpu')
})

/** A model whose token table has these numbers, rounded to `dtype`, and the numbers as they are then. */
function modelOf(numbers: readonly number[], width: number, dtype: FloatDtype = 'float32') {
  const rows = numbers.length / width
  const tables = allocateTables([{ name: 'wte.weight', shape: [rows, width], dtype }], width, 1)
  const model = new Model({
    spec: {
      ...{ id: 'm', vocabSize: rows, embeddingDim: width, hiddenSize: width, maxPositionEmbeddings: 0 },
      ...{ typeVocabSize: 0, dtype, padTokenId: undefined, isCheckpoint: true },
      architecture: namedArchitecture('llama'),
      position: bindPositionEmbedding({ type: 'none' }),
      encoding: absentTokenizer('test'),
    },
    ...{ version: '1', tables, thread: 0 },
    drawn: () => {
      throw new Error('nothing is drawn')
    },
  })
  const held = stored(Float32Array.from(numbers), dtype)
  model.numbers(tables.places[0]).set(held)
  return { model, values: valuesOf(held, dtype) }
}

/** The slow twin: every score in float64, one after the other, sorted. */
function twin(values: Float32Array, width: number, query: Float32Array, k: number, metric: Metric) {
  const rows = values.length / width
  const scored = Array.from({ length: rows }, (_, id) => {
    let [dot, row, own] = [0, 0, 0]
    for (let c = 0; c < width; c++) {
      const [a, b] = [values[id * width + c], query[c]]
      dot += a * b
      row += a * a
      own += b * b
    }
    if (metric === 'dot') return { id, score: dot, near: dot }
    if (metric === 'cosine') {
      const lengths = Math.sqrt(row) * Math.sqrt(own)
      const score = lengths === 0 ? 0 : dot / lengths
      return { id, score, near: score }
    }
    let square = 0
    for (let c = 0; c < width; c++) square += (values[id * width + c] - query[c]) ** 2
    const distance = Math.sqrt(square)
    return { id, score: distance, near: -distance }
  })
  return scored
    .filter(({ near }) => Number.isFinite(near))
    .sort((a, b) => b.near - a.near || a.id - b.id)
    .slice(0, k)
    .map(({ id, score }) => ({ id, score: score + 0 }))
}

const DTYPES = ['float32', 'float16', 'bfloat16'] as const

describe('the nearest rows', () => {
  test.each(DTYPES.flatMap((dtype) => METRICS.map((metric) => [dtype, metric] as const)))(
    'are those of a search of every row in float64: %s, %s',
    async (dtype, metric) => {
      // Few different numbers, so that many rows are equal, or nearly so.
      const number = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(1e-7, 1 + 1e-7, 0.1, -3e4))
      const cases = fc.record({
        width: fc.integer({ min: 1, max: 19 }),
        rows: fc.integer({ min: 1, max: 60 }),
        count: fc.integer({ min: 1, max: 9 }),
        k: fc.integer({ min: 1, max: 70 }),
        numbers: fc.array(number, { minLength: 19 * 60, maxLength: 19 * 60 }),
        queries: fc.array(number, { minLength: 19 * 9, maxLength: 19 * 9 }),
      })
      await fc.assert(
        fc.asyncProperty(cases, async ({ width, rows, count, k, numbers, queries: given }) => {
          const { model, values } = modelOf(numbers.slice(0, rows * width), width, dtype)
          const queries = Array.from({ length: count }, (_, i) =>
            Float32Array.from(given.slice(i * width, (i + 1) * width)),
          )
          const found = await findNeighbors(model, { table: 'wte.weight', queries, k, metric }, UNBOUNDED)
          expect(found).toEqual(queries.map((query) => twin(values, width, query, k, metric)))
          model.dispose()
        }),
        { numRuns: 40 },
      )
    },
  )

  test('of a large table, whose rows are searched in many steps, for more queries than one pass takes', async () => {
    const [rows, width] = [20_000, 96]
    const wave = (i: number) => Math.sin(i * 12.9898) * 43758.5453
    const { model, values } = modelOf(
      Array.from({ length: rows * width }, (_, i) => wave(i) - Math.floor(wave(i)) - 0.5),
      width,
    )
    const queries = Array.from({ length: 70 }, (_, i) => values.slice(i * 7 * width, (i * 7 + 1) * width))
    const found = await findNeighbors(
      model,
      { table: 'wte.weight', queries, k: 5, metric: 'cosine' },
      UNBOUNDED,
    )
    for (const i of [0, 1, 63, 64, 69]) {
      expect(found[i]).toEqual(twin(values, width, queries[i], 5, 'cosine'))
      expect(found[i][0].id).toBe(7 * i)
    }
    model.dispose()
  })

  test('numbers that overflow float32 sums, or vanish in them, are compared all the same', async () => {
    const { model, values } = modelOf(
      [1e30, 1e30, -1e30, 1e30, 1e-30, 0, 0, 1e-30, 0, 0, Infinity, 1, Number.NaN, 0],
      2,
    )
    for (const metric of METRICS) {
      const query = Float32Array.of(1e30, -1e30)
      const [found] = await findNeighbors(
        model,
        { table: 'wte.weight', queries: [query], k: 9, metric },
        UNBOUNDED,
      )
      expect(found).toEqual(twin(values, 2, query, 9, metric))
      expect(found.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3, 4])
    }
    model.dispose()
  })

  test('equal rows come by id, however many there are', async () => {
    const { model } = modelOf(Array(100_000 * 2).fill(1), 2)
    const search = { table: 'wte.weight', queries: [Float32Array.of(3, 3)], k: 3, metric: 'dot' } as const
    const [found] = await findNeighbors(model, search, UNBOUNDED)
    expect(found).toEqual([0, 1, 2].map((id) => ({ id, score: 6 })))
    model.dispose()
  })
})

test('a candidate stays while its bounds overlap those of the k-th', () => {
  const candidates = new Candidates(2)
  for (const [id, near] of [5, 1, 4, 3].entries()) candidates.add(id, near - 0.6, near + 0.6)
  expect([...candidates.settle()]).toEqual([0, 2, 3]) // 3.6 reaches 3.4, 1.6 does not
})

test('the mean of rows is NumPy’s: summed in float32 in the order of the ids, divided once', async () => {
  const { model } = modelOf([0.1, 1e8, 0.2, 1, 0.3, -1e8], 2)
  const ids = Int32Array.of(0, 1, 2, 2, 0)
  const fill = (out: Int32Array, start: number) => out.set(ids.subarray(start, start + out.length))
  const mean = await meanOfRows(model.tokenTable, { length: ids.length, fill }, model.workspace)
  // numpy: np.array([[.1, 1e8], [.2, 1], [.3, -1e8]], 'f4')[[0, 1, 2, 2, 0]].mean(0)
  const f = Math.fround
  const sum = ids.reduce((total, id) => f(total + f([0.1, 0.2, 0.3][id])), 0)
  expect([...mean]).toEqual([f(sum / 5), 0])
  expect([...(await meanOfRows(model.tokenTable, { length: 0, fill }, model.workspace))]).toEqual([0, 0])
  model.dispose()
})
