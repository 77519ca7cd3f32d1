import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { shuffledOrder } from '../../../src/first-layer/random/permutation.js'
import { ClientGone, drive } from '../../../src/first-layer/running/drive.js'
import { CountingClaim } from '../../counting-claim.js'

const MANY = 2 ** 21

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
