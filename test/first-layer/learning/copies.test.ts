import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Learner } from '../../../src/first-layer/learning/learner.js'
import { checkProperty } from '../../property.js'

const [V, C] = [6, 2]

const step = fc.record({
  /** Which of the copies a step brings up to date. */
  copy: fc.nat(3),
  rows: fc.uniqueArray(fc.nat(V - 1), { minLength: 1 }),
})

test('copies that are brought up to date in any order have the learner’s numbers', async () => {
  await checkProperty(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const learner = new Learner({ type: 'sgd', lr: 1 }, [{ name: 'wte.weight', rows: V, dim: C }])
      const [table] = learner.tables
      const copies = [0, 1, 2, 3].map((fill) => new Float32Array(V * C).fill(fill))
      const since = new Map([[0, 0]])
      for (const { copy, rows } of steps) {
        const bytes = new Uint8Array(new Float32Array(rows.length * C).fill(1).buffer)
        const call = {
          token_ids: Int32Array.from(rows),
          token_gradients: { dtype: 'float32' as const, bytes },
        }
        learner.gradients(call)
        learner.apply()
        table!.copyTo(copies[copy]!, since.get(copy))
        since.set(copy, learner.step)
        expect(copies[copy]).toEqual(table!.numbers)
      }
    }),
    50,
  )
})

test('a copy that is up to date is left alone', () => {
  const { tables } = new Learner({ type: 'sgd' }, [{ name: 'wte.weight', rows: V, dim: C }])
  const copy = new Float32Array(V * C).fill(7)
  tables[0]!.copyTo(copy, 0)
  expect(new Set(copy)).toEqual(new Set([7]))
})
