import { expect, test } from 'vitest'
import { BODY_SLACK, giveBody, takeBody } from '../../../../src/http/routes/learning/kept-bodies.js'

const MIB = 2 ** 20

test('memory is used again for a body of its size, by one at a time', () => {
  const first = takeBody(MIB)
  expect(takeBody(MIB).buffer).not.toBe(first.buffer)
  giveBody(first)
  const again = takeBody(MIB - 1000)
  expect([again.buffer === first.buffer, again.length]).toEqual([true, MIB - 1000])
  expect(takeBody(MIB).buffer).not.toBe(first.buffer)
})

test('a body has no memory that is too short, or much longer than its claim', () => {
  const first = takeBody(MIB)
  giveBody(first)
  expect(takeBody(MIB + 1).buffer).not.toBe(first.buffer)
  expect(takeBody(MIB / 2).buffer).not.toBe(first.buffer)
})

test('a thread keeps at most 16 MiB, the last ones', () => {
  const bodies = [8, 4, 4, 8].map((size) => takeBody(size * MIB))
  for (const body of bodies) giveBody(body)
  expect(takeBody(8 * MIB).buffer).toBe(bodies[3]!.buffer)
  expect(takeBody(8 * MIB).buffer).not.toBe(bodies[0]!.buffer)
  expect(takeBody(4 * MIB).buffer).toBe(bodies[2]!.buffer)
})

test('a body begins where it is asked for, with room behind it', () => {
  for (let shift = 0; shift < BODY_SLACK; shift++) {
    const body = takeBody(MIB, shift)
    expect([body.byteOffset, body.length]).toEqual([shift, MIB])
    giveBody(body)
  }
})
