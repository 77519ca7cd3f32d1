import { expect, test } from 'vitest'
import { Retries, StorageError } from '../../../src/run/objects/retries.js'

const SHORT = { tryMs: 20, allMs: 150 }
const AWAY = new StorageError(false, '503 SlowDown')
const passing = () => new Retries(() => ({ word: '503 SlowDown', isPassing: true }))

async function fails(): Promise<never> {
  throw new Error('not told')
}

test('gives up after all its time, in words of the table', async () => {
  const error = await passing()
    .run(SHORT, fails)
    .catch((thrown) => thrown)
  expect(error).toEqual(AWAY)
})

test('asks for nothing while the storage is known to be away', async () => {
  const retries = passing()
  await retries.run(SHORT, fails).catch(() => {})
  let asked = 0
  const ask = async () => ++asked
  await expect(retries.run(SHORT, ask)).rejects.toThrow(AWAY)
  expect(asked).toBe(0)
})

test('what waits between two tries ends as soon as another has given up', async () => {
  const retries = passing()
  const long = retries.run({ tryMs: 20, allMs: 600_000 }, fails).catch((error) => error)
  await retries.run(SHORT, fails).catch(() => {})
  expect(await long).toEqual(AWAY)
})

test('a try without an answer is ended, and another one begins', async () => {
  let tries = 0
  const result = await passing().run({ tryMs: 20, allMs: 10_000 }, (signal) =>
    ++tries < 3
      ? new Promise<number>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      : Promise.resolve(tries),
  )
  expect(result).toBe(3)
})

test('an error of another kind goes on as it is', async () => {
  const own = new Error('of another kind')
  await expect(new Retries(() => undefined).run(SHORT, () => Promise.reject(own))).rejects.toBe(own)
})
