import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Changes } from '../../../src/features/learning/changes.js'
import {
  allocateTables,
  bytesOf,
  type SharedTables,
} from '../../../src/first-layer/embeddings/table-memory.js'
import type { Learner } from '../../../src/first-layer/learning/learner.js'
import { newLearner } from '../../../src/first-layer/learning/new-learner.js'
import { run } from '../../../src/first-layer/steps.js'
import { checkProperty } from '../../property.js'

const [V, P, C] = [6, 3, 2]
const LAYOUT = [
  { name: 'wte.weight', shape: [V, C], dtype: 'float32' },
  { name: 'wpe.weight', shape: [P, C], dtype: 'float32' },
  { name: 'norm.weight', shape: [C], dtype: 'float32' },
] as const

function tables(fill: number): SharedTables {
  const made = allocateTables(LAYOUT, C, 1)
  for (const place of made.places) bytesOf(made, place).fill(fill)
  return made
}

/** Readers must see the learner's tables, and for the others the first ones. */
function expectSame(copy: SharedTables, learner: Learner, first: SharedTables): void {
  for (const place of copy.places) {
    const table = learner.tables.find((each) => each.place.name === place.name)?.numbers()
    const bytes = table === undefined ? bytesOf(first, place) : new Uint8Array(table.slice().buffer)
    expect([...bytesOf(copy, place)], place.name).toEqual([...bytes])
  }
}

const step = fc.record({
  /** Which of the memories a step brings up to date. */
  memory: fc.nat(3),
  rows: fc.uniqueArray(fc.nat(V - 1), { minLength: 1 }),
  position: fc.nat(P - 1),
})

test('memories that are brought up to date in any order have the learner’s tables', async () => {
  await checkProperty(fc.property(fc.array(step, { maxLength: 20 }), checkTurns), 50)
})

function checkTurns(steps: readonly { memory: number; rows: number[]; position: number }[]): void {
  const held = [
    { name: 'wte.weight', rows: V, dim: C },
    { name: 'wpe.weight', rows: P, dim: C },
  ] as const
  const learner = newLearner({ type: 'sgd', lr: 1, tables: ['wte.weight', 'wpe.weight'] }, held)
  const [first, ...others] = [0, 1, 2, 3].map((fill) => tables(fill))
  run(learner.begin())
  const memories = [first!, ...others]
  const since = new Map([[0, 0]])
  const changes = new Changes()
  let present = first!
  for (const { memory, rows, position } of steps) {
    const ids = Int32Array.from(rows)
    const ones = (count: number) => ({
      dtype: 'float32' as const,
      bytes: new Uint8Array(new Float32Array(count * C).fill(1).buffer),
    })
    const positions = { ids: Int32Array.of(position), gradients: ones(1) }
    run(learner.gradients({ tokens: { ids, gradients: ones(ids.length) }, positions }))
    changes.add(run(learner.apply()).changed)
    const target = memories[memory]!
    changes.bring(target, since.get(memory), learner.tables, present)
    since.set(memory, changes.now)
    expectSame(target, learner, first!)
    present = target
  }
}

test('a memory that is up to date is left alone', () => {
  const learner = newLearner({ type: 'sgd' }, [{ name: 'wte.weight', rows: V, dim: C }])
  const copy = tables(7)
  new Changes().bring(copy, 0, learner.tables, copy)
  expect([...bytesOf(copy, copy.places[0]!)]).toEqual(new Array(4 * V * C).fill(7))
})
