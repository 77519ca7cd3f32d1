import '../../built.js'
import { expect, test } from 'vitest'
import type { TrainerPool } from '../../../src/features/learning/trainer-pool.js'
import { allocateTables } from '../../../src/first-layer/embeddings/table-memory.js'
import { WorkThread } from '../../../src/service/process/work-thread.js'

// The thread is the built one: dist/learn.js.

const LAYOUT = [{ name: 'wte.weight', shape: [4, 2], dtype: 'float32' }] as const

test('trainers work in a separate thread, and callers get their errors unchanged', async () => {
  const { work: thread } = new WorkThread<TrainerPool>('learn.js')
  const present = allocateTables(LAYOUT, 2, 1)
  const state = await thread.begin('small', present, { type: 'adam' })
  expect(state.bytes).toMatchObject({ tables: 32, states: 64 })
  const step = thread.step('small', {}, present, present, undefined)
  await expect(step).rejects.toMatchObject({ code: 'nothing_pending' })
})
