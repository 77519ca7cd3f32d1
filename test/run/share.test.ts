import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inputsOf, shareOf } from '../../src/run/shard.js'
import { checkProperty } from '../property.js'

const ARRAY = {
  SLURM_ARRAY_TASK_MIN: '1',
  SLURM_ARRAY_TASK_MAX: '8',
  SLURM_ARRAY_TASK_COUNT: '8',
}

test.each([
  ['nothing', undefined, {}, 0, 1],
  ['the flag', '2/8', { INLET_SHARD: '0/4' }, 2, 8],
  ['INLET_SHARD', undefined, { INLET_SHARD: '3/4', JOB_COMPLETION_INDEX: '9' }, 3, 4],
  ['a Slurm array from 1', undefined, { ...ARRAY, SLURM_ARRAY_TASK_ID: '3' }, 2, 8],
  [
    'a Slurm array with steps',
    undefined,
    {
      SLURM_ARRAY_TASK_ID: '12',
      SLURM_ARRAY_TASK_MIN: '0',
      SLURM_ARRAY_TASK_MAX: '12',
      SLURM_ARRAY_TASK_COUNT: '4',
      SLURM_ARRAY_TASK_STEP: '4',
    },
    3,
    4,
  ],
  [
    'a part of a Slurm array, with the number of all',
    undefined,
    { ...ARRAY, SLURM_ARRAY_TASK_ID: '7', SLURM_ARRAY_TASK_COUNT: '2', INLET_SHARDS: '10' },
    7,
    10,
  ],
  ['an indexed Job', undefined, { JOB_COMPLETION_INDEX: '0', INLET_SHARDS: '3' }, 0, 3],
  ['an indexed Job, its completions', undefined, { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: '3' }, 2, 3],
])('a share by %s', (_, given, env, index, count) => {
  expect(shareOf(given, env)).toEqual({ index, count })
})

test.each([
  ['8/8', {}, /--shard must be i\/n .* Given: 8\/8/],
  ['-1/8', {}, /--shard .* Given: -1\/8/],
  ['0/0', {}, /--shard .* Given: 0\/0/],
  [undefined, { INLET_SHARD: 'first' }, /INLET_SHARD must be i\/n .* Given: first/],
  [undefined, { JOB_COMPLETION_INDEX: '1' }, /INLET_SHARDS.* is needed beside JOB_COMPLETION_INDEX/],
  [
    undefined,
    { JOB_COMPLETION_INDEX: '3', INLET_SHARDS: '3' },
    /JOB_COMPLETION_INDEX must name one of 3 shards/,
  ],
  [
    undefined,
    { JOB_COMPLETION_INDEX: 'x', INLET_SHARDS: '3' },
    /JOB_COMPLETION_INDEX must be an integer.* x/,
  ],
  [undefined, { JOB_COMPLETION_INDEX: '0', INLET_SHARDS: '0' }, /INLET_SHARDS must be at least 1/],
  [
    undefined,
    { ...ARRAY, SLURM_ARRAY_TASK_ID: '0' },
    /SLURM_ARRAY_TASK_ID must name one of 8 shards\. Given: 0/,
  ],
  [undefined, { SLURM_ARRAY_TASK_ID: '2' }, /SLURM_ARRAY_TASK_MIN must be an integer .* Given: nothing/],
  [undefined, { ...ARRAY, SLURM_ARRAY_TASK_ID: '9' }, /SLURM_ARRAY_TASK_ID must name one of 8 .* Given: 9/],
  [
    undefined, // --array=1,8
    { ...ARRAY, SLURM_ARRAY_TASK_ID: '1', SLURM_ARRAY_TASK_COUNT: '2' },
    /SLURM_ARRAY_TASK_COUNT must be that of a whole range.* 2 tasks from 1 to 8/,
  ],
])('a share %s of %o is refused by its name', (given, env, message) => {
  expect(() => shareOf(given, env)).toThrow(message)
})

test('the shares of all workers have each input once, in whatever order they were named', async () => {
  const cases = fc.record({
    paths: fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 40 }),
    count: fc.integer({ min: 1, max: 9 }),
  })
  await checkProperty(
    fc.property(cases, ({ paths, count }) => {
      const shares = Array.from({ length: count }, (_, index) =>
        inputsOf(index % 2 === 0 ? paths : paths.toReversed(), { index, count }),
      )
      expect(shares.flat().sort()).toEqual([...new Set(paths)].sort())
      const lengths = shares.map(({ length }) => length)
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
    }),
    200,
  )
})

test('a share has every n-th input by name, from its index on', () => {
  const share = (index: number) => inputsOf(['c', 'a', 'e', 'b', 'd'], { index, count: 2 })
  expect([share(0), share(1)]).toEqual([
    ['a', 'c', 'e'],
    ['b', 'd'],
  ])
})
