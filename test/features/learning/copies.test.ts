import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settles, taught } from './taught.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('two memories are enough while readers end in time', async () => {
  const { step, drain, memories } = await taught(4)
  for (let i = 2; i < 8; i++) {
    expect((await step()).model_version).toBe(String(i))
    await drain()
  }
  expect(memories().size).toBe(2)
})

test('a step waits a second for readers, and takes a third memory then', async () => {
  const { step, memories } = await taught(5)
  await step() // the first version has readers from now on
  const second = step()
  expect(await settles(second)).toBe(false)
  await vi.advanceTimersByTimeAsync(999)
  expect(await settles(second)).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await second).toMatchObject({ model_version: '3', step: 2 })
  expect(memories().size).toBe(3)
})

test('without room for a third it waits until the readers have ended', async () => {
  const { step, drain, memories } = await taught(3)
  await step()
  const second = step()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await settles(second)).toBe(false)
  await drain()
  expect(await second).toMatchObject({ model_version: '3' })
  expect(memories().size).toBe(2)
})
