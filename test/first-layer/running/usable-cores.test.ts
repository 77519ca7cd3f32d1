import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { usableCores } from '../../../src/first-layer/running/usable-cores.js'

const cores = availableParallelism()

test.each([
  ['150000 100000\n', Math.min(cores, 2)], // a share of a core is worth a thread
  ['50000 100000\n', 1],
  ['200000 100000\n', Math.min(cores, 2)],
  ['100000000 100000\n', cores],
  ['max 100000\n', cores],
  ['', cores],
])('a container with %j has %i', (limit, expected) => {
  expect(usableCores(() => limit)).toBe(expected)
})

test('without a cgroup limit all cores count', () => {
  const missing = () => {
    throw new Error('ENOENT')
  }
  expect(usableCores(missing)).toBe(cores)
})
