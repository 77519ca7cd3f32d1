import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { randperm, shuffledOrder } from '../../../src/first-layer/random/permutation.js'
import { ClientGone, drive, driveAsync } from '../../../src/first-layer/running/drive.js'
import { run } from '../../../src/first-layer/steps.js'
import { CountingClaim } from '../../counting-claim.js'
import { sha256 } from '../../goldens.js'

const MANY = 2 ** 21

/** The order as the lecture notes have it: a generator, two draws an epoch, a permutation at once. */
function orderOf(count: number, seed: bigint, epoch: number): Int32Array {
  const global = new TorchGenerator(seed)
  for (let pass = 0; pass < epoch; pass++) {
    global.randint64()
    global.randint64()
  }
  global.randint64()
  return run(randperm(new TorchGenerator(global.randint64()), count))
}

test.each([
  [1, 0],
  [100, 1],
  [16_385, 1000],
  [300_000, 3],
])('%i windows in epoch %i have the order of one permutation', async (count, epoch) => {
  expect(sha256(await driveAsync(shuffledOrder(count, 77n, epoch)))).toBe(sha256(orderOf(count, 77n, epoch)))
})

test('millions of windows are shuffled in turns, from memory that is reserved before', async () => {
  let turns = 0
  let running = true
  const counting = (async () => {
    for (; running; turns++) await setImmediate()
  })()
  const claim = new CountingClaim()
  const shuffling = drive(claim, shuffledOrder(MANY, 1n, 0))
  expect(claim.taken).toBe(4 * MANY)
  expect(await shuffling).toHaveLength(MANY)
  running = false
  await counting
  expect(turns).toBeGreaterThan(10)
  expect(claim.asked).toBeGreaterThan(10)
})

test('a shuffle begins only where there is room, and ends with its caller', async () => {
  let letIn = () => {}
  const room = new Promise<void>((resolve) => {
    letIn = resolve
  })
  const claim = new CountingClaim(room)
  const shuffling = drive(claim, shuffledOrder(MANY, 1n, 0))
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  expect(claim.asked).toBe(0)
  letIn()
  while (claim.asked < 3) await setImmediate()
  claim.leave()
  await expect(shuffling).rejects.toThrow(ClientGone)
  const { asked } = claim
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  expect(claim.asked).toBe(asked)
})
