import '../../built.js'
import { expect, test } from 'vitest'
import type { TrainerPool } from '../../../src/features/learning/trainer-pool.js'
import { seedCard } from '../../../src/first-layer/cards/seed-card.js'
import { allocateTables } from '../../../src/first-layer/embeddings/table-memory.js'
import { cardSchema } from '../../../src/service/models/cards/card-fields.js'
import { WorkThread } from '../../../src/service/threads/work-thread.js'

// The thread is the built one: dist/learn.js.

const card = seedCard(
  'small',
  cardSchema.parse({ vocab_size: 4, embedding_dim: 2, position_embedding: 'none' }),
)
const LAYOUT = [{ name: 'wte.weight', shape: [4, 2], dtype: 'float32' }] as const

test('trainers work in a separate thread, and callers get their errors unchanged', async () => {
  const { work: thread } = new WorkThread<TrainerPool>('learn.js')
  const present = allocateTables(LAYOUT, 2, 1)
  const state = await thread.begin({ card, present, version: 3 }, { type: 'adam' })
  expect(state).toMatchObject({ version: 3, bytes: { tables: 32, states: 64 } })
  const call = {
    kind: 'step',
    writer: 'a',
    sequence: 1,
    digest: 'x',
    options: {},
    body: new Uint8Array(),
  } as const
  const job = { ifVersions: null, gradientRoom: 0, present }
  await expect(thread.call('small', call, job)).rejects.toMatchObject({ code: 'nothing_pending' })
  await expect(thread.call('other', call, job)).rejects.toMatchObject({ code: 'optimizer_not_found' })
  await thread.end('small')
  await expect(thread.call('small', call, job)).rejects.toMatchObject({ code: 'optimizer_not_found' })
})
