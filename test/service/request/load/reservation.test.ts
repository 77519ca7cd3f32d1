import { expect, test } from 'vitest'
import { Reservation } from '../../../../src/service/request/load/request-claim.js'
import { CountingClaim } from '../../../counting-claim.js'

test('growing memory is reserved in blocks, ahead of its growth', () => {
  const claim = new CountingClaim()
  const room = new Reservation(claim, 100)
  expect(room.reach(1)).toBeUndefined()
  expect(claim.taken).toBe(100)
  room.reach(100)
  expect(claim.taken).toBe(100)
  room.reach(101)
  expect(claim.taken).toBe(200)
  room.reach(1001)
  expect(claim.taken).toBe(1100)
})

test('growth waits if there is no room', async () => {
  let admit = () => {}
  const room = new Reservation(new CountingClaim(new Promise((resolve) => (admit = resolve))), 100)
  let hasRoom = false
  const wait = room.reach(1)?.then(() => {
    hasRoom = true
  })
  await Promise.resolve()
  expect(hasRoom).toBe(false)
  admit()
  await wait
  expect(hasRoom).toBe(true)
})

test('memory that was reserved and not used goes back', () => {
  const claim = new CountingClaim()
  const room = new Reservation(claim, 100)
  room.reach(150)
  room.settle(120)
  expect(claim.taken).toBe(120)
  room.settle(130)
  expect(claim.taken).toBe(120)
  room.settle(0)
  expect(claim.taken).toBe(0)
})
