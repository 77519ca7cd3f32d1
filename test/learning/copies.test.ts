import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { seedCard } from '../../src/first-layer/cards/seed-card.js'
import { localLearning } from '../../src/learning/local-learning.js'
import { cardSchema } from '../../src/models/cards/card-fields.js'
import type { ModelEntry } from '../../src/models/entry.js'
import { Keeper } from '../../src/models/keeper/keeper.js'
import { localMaker } from '../../src/models/keeper/maker.js'
import { onesFor } from '../http/learning/trainer.js'
import { tableFile } from '../http/models/table-files.js'

const [V, C] = [64, 16]
const TABLE = 4 * V * C
/** Room for gradients of one row, and its places. */
const GRADIENTS = 2 ** 18 + 2 ** 12

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A keeper whose readers hold each version until they are let go. */
async function taught(copies: number) {
  const readers: (() => void)[] = []
  const published: ModelEntry[] = []
  const threads = {
    count: 1,
    async put(entry: ModelEntry) {
      published.push(entry)
      return { drained: new Promise<void>((resolve) => readers.push(resolve)) }
    },
    drop: async () => ({ drained: Promise.resolve() }),
    putPrompt: async () => ({ drained: Promise.resolve() }),
  }
  const keeper = new Keeper(threads as never, localMaker, { maxTableBytes: copies * TABLE + GRADIENTS })
  const learning = localLearning(keeper)
  const card = seedCard(
    'small',
    cardSchema.parse({ vocab_size: V, embedding_dim: C, position_embedding: 'none' }),
  )
  await keeper.make(card)
  await learning.begin('small', { type: 'sgd', lr: 1 })
  let sequence = 1
  const call = (kind: 'gradients' | 'step', body: Buffer) =>
    learning.call('small', { kind, writer: 'a', sequence: sequence++, digest: '', options: {}, body }, null)
  const step = async () => {
    await call('gradients', tableFile(onesFor([1], C)))
    return call('step', Buffer.alloc(0))
  }
  return {
    step,
    readers,
    memories: () => new Set(published.flatMap(({ version }) => version?.tables.memory ?? [])),
  }
}

/** Whether a promise settles without a timer. */
async function settles(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  promise.then(
    () => (isSettled = true),
    () => {},
  )
  for (let i = 0; i < 50; i++) await Promise.resolve()
  return isSettled
}

test('two memories take turns while readers end in time', async () => {
  const { step, readers, memories } = await taught(4)
  for (let i = 2; i < 8; i++) {
    expect((await step()).model_version).toBe(String(i))
    for (const end of readers.splice(0)) end()
    await settles(Promise.resolve())
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
  const { step, readers, memories } = await taught(3)
  await step()
  const second = step()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await settles(second)).toBe(false)
  for (const end of readers.splice(0)) end()
  expect(await second).toMatchObject({ model_version: '3' })
  expect(memories().size).toBe(2)
})
