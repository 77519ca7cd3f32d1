import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { selectBackend } from '../../../src/first-layer/embeddings/backends/select.js'
import { METRICS, type Metric, nearestRows } from '../../../src/first-layer/neighbors/search.js'
import { checkProperty } from '../../property.js'
import { modelOf } from './table-model.js'

beforeAll(async () => {
  await selectBackend('cpu')
})

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
      const lengths = Math.sqrt(row * own)
      const score = lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot / lengths))
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
      await checkProperty(
        fc.asyncProperty(cases, async ({ width, rows, count, k, numbers, queries: given }) => {
          const { model, values } = modelOf(numbers.slice(0, rows * width), width, dtype)
          const queries = Array.from({ length: count }, (_, i) =>
            Float32Array.from(given.slice(i * width, (i + 1) * width)),
          )
          const found = await nearestRows(model, { table: 'wte.weight', queries, k, metric })
          expect(found).toEqual(queries.map((query) => twin(values, width, query, k, metric)))
          model.dispose()
        }),
        12,
      )
    },
  )

  test('a row’s cosine to itself is 1, and none is beyond', async () => {
    const [rows, width] = [200, 37]
    const numbers = Array.from({ length: rows * width }, (_, i) => Math.sin(i * 12.9898) * 10 ** (i % 7))
    const { model, values } = modelOf(numbers, width, 'float32')
    const row = (id: number) => values.slice(id * width, (id + 1) * width)
    const own = Array.from({ length: rows }, (_, id) => row(id))
    const search = (queries: Float32Array[]) =>
      nearestRows(model, { table: 'wte.weight', queries, k: rows, metric: 'cosine' })
    const found = await search(own)
    expect(found.map(([first]) => first)).toEqual(own.map((_, id) => ({ id, score: 1 })))
    const scaled = (await search(own.map((query) => query.map((x) => x * -3)))).flat()
    const beyond = [...found.flat(), ...scaled].filter(({ score }) => !(Math.abs(score) <= 1))
    expect(beyond).toEqual([])
    model.dispose()
  })

  test('of a large table, whose rows are searched in many steps, for more queries than one pass takes', async () => {
    const [rows, width] = [5_000, 96]
    const wave = (i: number) => (Math.sin(i * 12.9898) * 43758.5453) % 1
    const { model, values } = modelOf(
      Array.from({ length: rows * width }, (_, i) => wave(i)),
      width,
    )
    const queries = Array.from({ length: 70 }, (_, i) => values.slice(i * 7 * width, (i * 7 + 1) * width))
    const found = await nearestRows(model, { table: 'wte.weight', queries, k: 5, metric: 'cosine' })
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
      const [found] = await nearestRows(model, { table: 'wte.weight', queries: [query], k: 9, metric })
      expect(found).toEqual(twin(values, 2, query, 9, metric))
      expect(found.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3, 4])
    }
    model.dispose()
  })

  test('equal rows come by id, however many there are', async () => {
    const { model } = modelOf(Array(100_000 * 2).fill(1), 2)
    const search = { table: 'wte.weight', queries: [Float32Array.of(3, 3)], k: 3, metric: 'dot' } as const
    const [found] = await nearestRows(model, search)
    expect(found).toEqual([0, 1, 2].map((id) => ({ id, score: 6 })))
    model.dispose()
  })
})

describe('however many rows might be near', () => {
  const WIDTH = 4
  const wave = (i: number) => Math.fround(Math.sin(i * 12.9898))

  async function searched(numbers: readonly number[], queries: readonly Float32Array[], metric: Metric) {
    const { model, values } = modelOf(numbers, WIDTH)
    let steps = 0
    const search = { table: 'wte.weight', queries, k: 10, metric } as const
    const found = await nearestRows(model, search, () => void steps++ as undefined)
    model.dispose()
    return { found, values, steps }
  }

  const waves = Array.from({ length: 10_000 * WIDTH }, (_, i) => wave(i))
  const zeros = Array.from({ length: 64 }, () => new Float32Array(WIDTH))

  test.each(METRICS)('64 queries of zeros: %s', async (metric) => {
    const { found, values } = await searched(waves, zeros, metric)
    const expected = twin(values, WIDTH, zeros[0], 10, metric)
    for (const each of found) expect(each).toEqual(expected)
  })

  test.each(METRICS)('equal rows are compared in many steps: %s', async (metric) => {
    const queries = Array.from({ length: 64 }, (_, i) => Float32Array.of(i + 1, 1, 1, 1))
    const { found, values, steps } = await searched(Array(50_000 * WIDTH).fill(0.1), queries, metric)
    expect(found[9]).toEqual(twin(values, WIDTH, queries[9], 10, metric))
    expect(found[9].map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(steps).toBeGreaterThan(20) // 3.2 million rows are compared
  })

  test.each(METRICS)('rows that differ by less than float32 sums tell are told apart: %s', async (metric) => {
    const near = waves.map((x) => 1 + Math.round(x * 3) * 2 ** -22)
    const queries = Array.from({ length: 3 }, (_, i) => Float32Array.of(1, 1 + i, 1, 0.5))
    const { found, values } = await searched(near, queries, metric)
    for (const [i, query] of queries.entries())
      expect(found[i]).toEqual(twin(values, WIDTH, query, 10, metric))
  })

  test.each(METRICS)('tables of zeros, and of rows shorter than float32 squares: %s', async (metric) => {
    const numbers = Array.from({ length: 5_000 * WIDTH }, (_, i) => (i % 12 < 8 ? 0 : wave(i) * 1e-25))
    const queries = [Float32Array.of(1, 2, 3, 4), Float32Array.of(1e-25, 0, 0, -1e-25), zeros[0]]
    const { found, values } = await searched(numbers, queries, metric)
    for (const [i, query] of queries.entries())
      expect(found[i]).toEqual(twin(values, WIDTH, query, 10, metric))
  })

  test.each(METRICS)('queries that are very short or very long: %s', async (metric) => {
    const sizes = [1e-45, 1e-40, 1e-30, 1e-13, 1e13, 1e30, 3e38]
    const queries = sizes.map((size) => Float32Array.from([0.3, -1, 0.7, 0.1], (share) => share * size))
    const { found, values } = await searched(waves.slice(0, 9_000 * WIDTH), queries, metric)
    for (const [i, query] of queries.entries())
      expect(found[i]).toEqual(twin(values, WIDTH, query, 10, metric))
  })
})
