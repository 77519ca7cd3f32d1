import { describe, expect, test } from 'vitest'
import { planBatch } from '../../../src/first-layer/datasets/batch.js'
import { Mixture, type MixtureStage, stageShares } from '../../../src/first-layer/datasets/mixture.js'
import {
  checkMixtureRecipe,
  type MemberFields,
  mixtureContentId,
  mixtureStages,
  mixtureStream,
} from '../../../src/first-layer/datasets/mixture-batch.js'
import { type DatasetRecipe, recipeSchema } from '../../../src/first-layer/datasets/recipe-options.js'
import { corpusFrom, windowsOf } from './corpora.js'

const fields = recipeSchema.parse({ context_length: 4, batch_size: 2 })

function expectRefused(call: () => unknown, code: string, param: string, message: string): void {
  expect(call).toThrow(message)
  expect(call).toThrow(expect.objectContaining({ code, param }))
}

describe('recipes of mixtures', () => {
  test.each([
    [{ shuffle: 'true', seed: 1 }, 'shuffle', '`shuffle` must be index or false for a mixture'],
    [{ epoch: 2 }, 'epoch', '`epoch` must be 0 for a mixture, whose stream does not end. Given: 2'],
    [{ drop_last: true }, 'drop_last', '`drop_last` must be false'],
    [{ sharding: 'distributed_sampler' }, 'sharding', '`sharding` must be global_batch'],
    [{ batch_size: 3, world_size: 2 }, 'batch_size', '`batch_size` must be divisible by `world_size`, 2'],
  ] as const)('%j is refused', (given, param, message) => {
    expectRefused(
      () => checkMixtureRecipe(recipeSchema.parse({ ...fields, ...given })),
      'invalid_request',
      param,
      message,
    )
  })

  test('the seed has no effect without shuffle', () => {
    const stages = mixtureStages([
      { dataset: 'a', weight: 1 },
      { dataset: 'b', weight: 2 },
    ])
    const placesOf = (given: Partial<DatasetRecipe>) => {
      const recipe = checkMixtureRecipe({ ...fields, ...given })
      const mixture = new Mixture(stageShares(stages), [{ count: 5 }, { count: 7 }], recipe)
      return Array.from({ length: 2000 }, (_, place) => mixture.at(place))
    }
    expect(placesOf({ seed: 5n })).toEqual(placesOf({}))
    const [five, six] = [5n, 6n].map((seed) => JSON.stringify(placesOf({ seed, shuffle: 'index' })))
    expect(five === six).toBe(false)
  })

  test('a dataset without windows, and a batch beyond the stream, are refused', async () => {
    const recipe = checkMixtureRecipe(fields)
    const stages = mixtureStages([{ dataset: 'a', weight: 1 }])
    expectRefused(
      () => new Mixture(stageShares(stages), [{ count: 0 }], recipe),
      'no_windows',
      'context_length',
      'dataset 0',
    )
    const corpus = corpusFrom([[1, 2, 3, 4, 5, 6, 7, 8, 9]])
    const members = [{ ...corpus, windows: windowsOf(corpus.documents, recipe) }]
    const mixture = new Mixture(stageShares(stages), [{ count: 2 }], recipe)
    const read = (batchIndex: number) =>
      planBatch(members, mixtureStream(mixture, recipe), recipe, batchIndex)
    expect((await read(2 ** 41 - 1).read()).count).toBe(2)
    expectRefused(
      () => read(2 ** 41),
      'batch_out_of_range',
      'batch_index',
      'below the number of batches, 2199023255552',
    )
  })
})

test('64 datasets and 1,024 stages: no slice of a batch whose rows are each of another block takes long', async () => {
  const corpus = corpusFrom([Array.from({ length: 400 }, (_, t) => t)])
  const recipe = checkMixtureRecipe({
    ...fields,
    ...{ context_length: 4, batch_size: 1024, world_size: 1024, rank: 5, num_batches: 1024 },
    ...{ shuffle: 'index', seed: 1n },
  })
  const weights = (s: number) => Array.from({ length: 64 }, (_, j) => 1 + ((s * j) % 7))
  const stages = Array.from({ length: 1024 }, (_, s) => ({ from_window: 1024 * s, weights: weights(s) }))
  const windows = windowsOf(corpus.documents, recipe)
  const members = Array.from({ length: 64 }, () => ({ ...corpus, windows }))
  const mixture = new Mixture(
    stageShares(stages),
    members.map(({ windows }) => windows),
    recipe,
  )
  let longestMs = 0
  let before = process.cpuUsage()
  const pace = () => {
    const { user, system } = process.cpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    before = process.cpuUsage()
    return undefined
  }
  const batch = await planBatch(members, mixtureStream(mixture, recipe), recipe, 900_000).read(pace)
  expect(batch.count).toBe(1024)
  expect(longestMs).toBeLessThan(100)
})

describe('weights and stages of a mixture', () => {
  const two = [{ dataset: 'a' }, { dataset: 'b' }]

  test('are those of the members, or of the stages', () => {
    const members = [
      { dataset: 'a', weight: 1 },
      { dataset: 'b', weight: 0.5 },
    ]
    expect(mixtureStages(members)).toEqual([{ from_window: 0, weights: [1, 0.5] }])
    const stages = [
      { from_window: 0, weights: [1, 0.5] },
      { from_window: 2048, weights: [1, 3] },
    ]
    expect(mixtureStages(members, stages)).toEqual(stages)
    expect(mixtureStages(two, stages)).toEqual(stages)
    expect(mixtureContentId(['a', 'b'], stages).length).toBe(26)
    expect(mixtureContentId(['a', 'b'], stages) === mixtureContentId(['b', 'a'], stages)).toBe(false)
  })

  const refused: readonly (readonly [
    readonly MemberFields[],
    readonly MixtureStage[] | undefined,
    string,
    string,
  ])[] = [
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined].map(
      (weight) =>
        [[{ dataset: 'a', weight }], undefined, 'mixture.0.weight', 'must be a number above 0'] as const,
    ),
    [[], undefined, 'mixture', 'must have 1 to 64 datasets'],
    [Array(65).fill({ dataset: 'a', weight: 1 }), undefined, 'mixture', 'Given: an array of 65'],
    [two, [], 'stages', 'must not be empty'],
    [two, [{ from_window: 1024, weights: [1, 1] }], 'stages.0.from_window', 'must be 0 in the first stage'],
    [two, [{ from_window: 0, weights: [1] }], 'stages.0.weights', 'one weight for each of the 2 datasets'],
    [two, [{ from_window: 0, weights: [1, 0] }], 'stages.0.weights.1', 'must be a number above 0'],
    [
      two,
      [0, 1000].map((at) => ({ from_window: at, weights: [1, 1] })),
      'stages.1.from_window',
      'multiple of 1024',
    ],
    [
      two,
      [0, 2048, 2048].map((at) => ({ from_window: at, weights: [1, 1] })),
      'stages.2.from_window',
      'must be above',
    ],
    [
      [{ dataset: 'a', weight: 2 }],
      [{ from_window: 0, weights: [1] }],
      'mixture.0.weight',
      'that of the first stage',
    ],
  ]

  test.each(refused)('%j, stages %j are refused', (members, stages, param, message) => {
    expectRefused(() => mixtureStages(members, stages), 'invalid_request', param, message)
  })
})
