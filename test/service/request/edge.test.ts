import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { shuffledOrder } from '../../../src/first-layer/random/permutation.js'
import { ClientGone } from '../../../src/service/process/turn.js'
import { loaderOrderOf } from '../../../src/service/request/claims.js'
import { countTurns } from '../../count-turns.js'
import { CountingClaim, UNBOUNDED } from '../../counting-claim.js'

const MANY = 2 ** 21
const LOADER = { shuffle: true, seed: 1n, epoch: 0, drop_last: false }

test('millions of windows are shuffled in another thread, from memory that is reserved before', async () => {
  const claim = new CountingClaim()
  const shuffling = loaderOrderOf(MANY, LOADER, claim)
  expect(claim.taken).toBe(4 * MANY)
  const [turns, order] = await countTurns(shuffling)
  expect(order).toEqual(shuffledOrder(MANY, 1n, 0))
  expect(turns).toBeGreaterThan(10)
})

test('a shuffle begins only where there is room', async () => {
  let letIn = () => {}
  const room = new Promise<void>((resolve) => {
    letIn = resolve
  })
  let isDone = false
  const shuffling = loaderOrderOf(100, LOADER, new CountingClaim(room)).then(() => {
    isDone = true
  })
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  expect(isDone).toBe(false)
  letIn()
  await shuffling
})

test('the wait for a shuffle ends with its caller, whose bytes stay reserved until it has ended', async () => {
  let abort = (_: Error) => {}
  let outlasting: Promise<unknown> | undefined
  const shuffling = loaderOrderOf(MANY, LOADER, {
    ...UNBOUNDED,
    onAbort(act) {
      abort = act
      return () => {}
    },
    outlast(work) {
      outlasting = work
    },
  })
  await setImmediate()
  abort(new ClientGone())
  await expect(shuffling).rejects.toThrow(ClientGone)
  expect(await outlasting).toHaveLength(MANY)
})
