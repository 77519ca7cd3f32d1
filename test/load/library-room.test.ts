import { expect, test } from 'vitest'
import { Ledger, ledgerMemory } from '../../src/load/ledger.js'
import { LibraryRoom } from '../../src/load/library-room.js'

const MIB = 2 ** 20

test('jobs of the tokenizer library count in the ledger of all threads, in an account of their own', () => {
  const memory = ledgerMemory(2)
  const [requests, jobs] = [0, 1].map((account) => new Ledger(memory, account, 64 * MIB))
  const room = new LibraryRoom(jobs!)
  expect(room.take(40 * MIB, false)).toBe(true)
  expect(requests!.bytes).toBe(40 * MIB)
  expect(requests!.ownBytes).toBe(0)
  expect(room.take(20 * MIB, false)).toBe(false) // an eighth is not for long jobs
  expect(room.take(20 * MIB, true)).toBe(true)
  room.give(40 * MIB)
  room.give(20 * MIB)
  expect(requests!.bytes).toBe(0)
})

test('a job for which there is never room is refused with both numbers', () => {
  const room = new LibraryRoom(new Ledger(ledgerMemory(1), 0, 64 * MIB))
  expect(() => room.take(57 * MIB, false)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringMatching(`${56 * MIB} .* ${57 * MIB}`),
    }),
  )
})
