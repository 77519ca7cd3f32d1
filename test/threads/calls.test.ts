import { expect, test } from 'vitest'
import { Calls } from '../../src/threads/calls.js'

test('each answer reaches its own question, in whatever order they come', async () => {
  const asked = new Calls<string>()
  const [first, second, third] = [asked.open(), asked.open(), asked.open()]
  expect(new Set([first.id, second.id, third.id]).size).toBe(3)
  asked.resolve(third.id, 'c')
  asked.reject(second.id, new Error('b'))
  expect(asked.size).toBe(1)
  asked.resolve(first.id, 'a')
  expect(await Promise.allSettled([first, second, third].map(({ answer }) => answer))).toMatchObject([
    { value: 'a' },
    { reason: { message: 'b' } },
    { value: 'c' },
  ])
  expect(asked.size).toBe(0)
})

test('where the other side has ended, all fail', async () => {
  const asked = new Calls<string>()
  const open = [asked.open(), asked.open()]
  const settled = Promise.allSettled(open.map(({ answer }) => answer))
  asked.rejectAll(new Error('gone'))
  expect(await settled).toMatchObject([{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }])
  expect(asked.size).toBe(0)
})

test('a question that was forgotten takes no answer, and holds nothing', () => {
  const asked = new Calls<string>()
  const { id } = asked.open()
  asked.forget(id)
  expect(asked.size).toBe(0)
  asked.resolve(id, 'late')
  asked.reject(id, new Error('late'))
})
