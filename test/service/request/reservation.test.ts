import { expect, test } from 'vitest'
import { Reservation } from '../../../src/service/request/claims.js'
import { CountingClaim } from '../../counting-claim.js'

test('growing memory is reserved ahead of its growth, and nothing twice', () => {
  const claim = new CountingClaim()
  const room = new Reservation(claim)
  for (const bytes of [1, 100, 50, 101, 1001]) {
    expect(room.reach(bytes)).toBeUndefined()
    expect(claim.taken).toBe(Math.max(bytes, bytes === 50 ? 100 : 0))
  }
})

test('growth waits if there is no room', async () => {
  let admit = () => {}
  const room = new Reservation(new CountingClaim(new Promise((resolve) => (admit = resolve))))
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
  const room = new Reservation(claim)
  room.reach(150)
  room.settle(120)
  expect(claim.taken).toBe(120)
  room.settle(130)
  expect(claim.taken).toBe(120)
  room.settle(0)
  expect(claim.taken).toBe(0)
})
