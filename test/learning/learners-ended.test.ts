import { expect, test } from 'vitest'
import { seedCard } from '../../src/first-layer/cards/seed-card.js'
import { localLearning } from '../../src/learning/local-learning.js'
import { cardSchema } from '../../src/models/cards/card-fields.js'
import type { ModelEntry } from '../../src/models/entry.js'
import { Keeper } from '../../src/models/keeper/keeper.js'
import { localMaker } from '../../src/models/keeper/maker.js'

test('when the learners’ thread has died, what was in its memory is gone, and the model learns anew', async () => {
  const told: ModelEntry[] = []
  const threads = {
    count: 1,
    async put(entry: ModelEntry) {
      told.push(entry)
      return { drained: Promise.resolve() }
    },
    drop: async () => ({ drained: Promise.resolve() }),
  }
  const keeper = new Keeper(threads as never, localMaker, { maxTableBytes: 2 ** 22 })
  const learning = localLearning(keeper)
  const fields = { vocab_size: 4, embedding_dim: 2, position_embedding: 'none' }
  await keeper.make(seedCard('small', cardSchema.parse(fields)))
  await learning.begin('small', { type: 'sgd', lr: 1 })
  expect(told.at(-1)?.learns).toBe(true)
  expect(learning.learnersEnded()).toEqual(['small'])
  await expect(learning.describe('small')).rejects.toMatchObject({ code: 'optimizer_not_found' })
  expect(told.at(-1)).toMatchObject({ state: 'ready', card: { id: 'small' } })
  expect(told.at(-1)?.learns).toBeUndefined()
  expect((await learning.begin('small', { type: 'adam' })).made).toBe(true)
})
