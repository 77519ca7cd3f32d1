import { describe, expect, test } from 'vitest'
import { Mixture, stageShares } from '../../src/first-layer/datasets/mixture.js'
import { datasetFromIds, mixtureOf } from '../../src/index.js'

const T = 4
/** Datasets of 3, 50 and 700 windows; the id at place i of dataset j is 100,000 j + i. */
const counts = [3, 50, 700]
const datasets = counts.map((count, j) =>
  datasetFromIds([Int32Array.from({ length: count * T + 1 }, (_, i) => 100_000 * j + i)]),
)
const stages = [
  { from_window: 0, weights: [0.5, 0.3, 0.2] },
  { from_window: 1024, weights: [0.1, 0.1, 0.8] },
]
const mixture = mixtureOf(
  datasets.map((dataset) => ({ dataset })),
  stages,
)
const recipe = { context_length: T, batch_size: 64, shuffle: 'index', seed: 11 } as const
const law = new Mixture(
  stageShares(stages),
  counts.map((count) => ({ count })),
  { context_length: T, shuffle: 'index', seed: 11n },
)

/** The first ids of the rows at these places, as the stream's law has them. */
const expected = (from: number, count: number) =>
  Array.from({ length: count }, (_, k) => law.at(from + k)).map(
    ({ dataset, window }) => 100_000 * dataset + window * T,
  )
const firsts = (ids: Int32Array) => [...ids].filter((_, i) => i % T === 0)

describe('a mixture of datasets', () => {
  test('its rows are those of the stream, across a stage', async () => {
    for (const index of [0, 15, 16, 40]) {
      const batch = await mixture.batch(index, recipe)
      expect(batch.shape).toEqual([64, T])
      expect(firsts(batch.input_ids)).toEqual(expected(64 * index, 64))
      expect([...batch.dataset_index]).toEqual(expected(64 * index, 64).map((id) => Math.floor(id / 100_000)))
      expect([...batch.target_ids]).toEqual([...batch.input_ids].map((id) => id + 1))
    }
  })

  test('is the same stream for any number of ranks, and continues from any batch', async () => {
    const ranks = await Promise.all(
      [0, 1, 2, 3].map((rank) => mixture.batch(5, { ...recipe, world_size: 4, rank })),
    )
    expect(ranks.flatMap(({ input_ids }) => firsts(input_ids))).toEqual(expected(320, 64))
    const stream = mixture.batches({ ...recipe, num_batches: 2 }, 6)
    const [first, second] = [(await stream.next()).value, (await stream.next()).value]
    expect(firsts(first!.input_ids)).toEqual(expected(384, 128))
    expect(firsts(second!.input_ids)).toEqual(expected(512, 128))
    await stream.return()
  })

  test('says what each dataset gives, and where its first epoch ends', () => {
    const plan = mixture.plan(recipe)
    expect(plan).toMatchObject({ numWindows: 753, fill: 1, longestDocument: 2801 })
    expect(plan.shares.map(({ windowsPerBlock }) => windowsPerBlock)).toEqual([
      [512, 103],
      [307, 102],
      [205, 819],
    ])
    expect(plan.shares.map(({ firstEpochEndsAt }) => firstEpochEndsAt)).toEqual(
      counts.map((_, j) => law.firstEpochEnd(j)),
    )
    expect(plan.recipeId).not.toBe(mixture.plan({ ...recipe, seed: 12 }).recipeId)
  })

  test.each([
    ['mixture', () => mixtureOf([])],
    ['mixture.1.weight', () => mixtureOf([{ dataset: datasets[0]!, weight: 1 }, { dataset: datasets[1]! }])],
    ['mixture.0.dataset', () => mixtureOf([{ dataset: mixture as never, weight: 1 }])],
    [
      'stages.1.from_window',
      () =>
        mixtureOf(
          [{ dataset: datasets[0]! }],
          [stages[0]!, { from_window: 1000, weights: [1] }].map((stage) => ({ ...stage, weights: [1] })),
        ),
    ],
    ['epoch', () => mixture.plan({ ...recipe, epoch: 1 })],
    ['drop_last', () => mixture.plan({ ...recipe, drop_last: true })],
  ])('%s: a mixture that cannot be is refused by name', (param, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_request', param }))
  })

  test('a dataset without a window is refused', () => {
    const empty = mixtureOf([{ dataset: datasetFromIds([[1, 2]]), weight: 1 }])
    expect(() => empty.plan(recipe)).toThrow(expect.objectContaining({ code: 'no_windows' }))
  })
})
