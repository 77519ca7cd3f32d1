import { expect, test } from 'vitest'
import { Calls } from '../../../src/service/threads/calls.js'

test('answers settle their own calls in any order', async () => {
  const calls = new Calls<string>()
  const [first, second, third] = [calls.open(), calls.open(), calls.open()]
  expect(new Set([first.id, second.id, third.id]).size).toBe(3)
  calls.resolve(third.id, 'c')
  calls.reject(second.id, new Error('b'))
  expect(calls.size).toBe(1)
  calls.resolve(first.id, 'a')
  expect(await Promise.allSettled([first, second, third].map(({ answer }) => answer))).toMatchObject([
    { value: 'a' },
    { reason: { message: 'b' } },
    { value: 'c' },
  ])
  expect(calls.size).toBe(0)
})

test('rejectAll fails every open call of a thread that has ended', async () => {
  const calls = new Calls<string>()
  const open = [calls.open(), calls.open()]
  const settled = Promise.allSettled(open.map(({ answer }) => answer))
  calls.rejectAll(new Error('gone'))
  expect(await settled).toMatchObject([{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }])
  expect(calls.size).toBe(0)
})

test('a forgotten call ignores its late answer', () => {
  const calls = new Calls<string>()
  const { id } = calls.open()
  calls.forget(id)
  expect(calls.size).toBe(0)
  calls.resolve(id, 'late')
  calls.reject(id, new Error('late'))
})
