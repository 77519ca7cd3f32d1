import { expect } from 'vitest'
import type { Learner } from '../../../src/first-layer/learning/learner.js'
import { sha256 } from '../../goldens.js'
import { callOf, type GoldenCase, type GoldenState, learnerOf, tensorsOf } from './goldens.js'

type Norms = ReturnType<Learner['gradients']>['grad_norms']

export function expectNorms(norms: Norms, expected: GoldenState['grad_norms'], prefix = ''): void {
  for (const [name, { norm }] of Object.entries(expected ?? {})) {
    const table = name.slice(prefix.length) as keyof typeof norms
    const found = norms[table]
    if (found === undefined) continue // the optimizer has another table
    expect(found / Number(norm), name).toBeCloseTo(1, 10)
  }
}

/** Takes the steps of a case: tables and states are PyTorch's to the bit, and each step says what it changed. */
export function expectSteps(golden: GoldenCase): void {
  const { learner, tables } = learnerOf(golden.model, golden.optimizer)
  for (let s = 1; s <= golden.steps; s++) {
    // Parts are sent in the order in which PyTorch added them.
    const calls = [...golden.calls.entries()].sort(
      ([, a], [, b]) => Number.parseInt(a.part ?? '0', 10) - Number.parseInt(b.part ?? '0', 10),
    )
    let norms: Norms = {}
    for (const [k, given] of calls) {
      if (given.steps !== undefined && !given.steps.includes(s)) continue
      norms = learner.gradients(callOf(given, golden.model, s, k)).grad_norms
    }
    const state = golden.expect.find(({ step }) => step === s)
    expectNorms(norms, state?.grad_norms)
    const before = new Map([...tables].map(([name, numbers]) => [name, numbers.slice()]))
    const answer = learner.apply(golden.step_overrides?.[s] ?? {})
    expect(answer.step).toBe(s)
    for (const { name, rows, dim, changedAt } of learner.tables) {
      const [old, now] = [before.get(name)!, tables.get(name)!]
      const [bitsBefore, bits] = [old, now].map((numbers) => new Uint32Array(numbers.buffer))
      const differs = (row: number) => {
        for (let i = row * dim; i < (row + 1) * dim; i++) if (bits![i] !== bitsBefore![i]) return true
        return false
      }
      let changed = 0
      let squares = 0
      for (let row = 0; row < rows; row++) {
        if ((changedAt[row] === s) !== differs(row)) expect.fail(`${name}, row ${row}, step ${s}`)
        if (changedAt[row] !== s) continue
        changed++
        for (let i = row * dim; i < (row + 1) * dim; i++) squares += (now[i]! - old[i]!) ** 2
      }
      expect(answer.rows_updated[name]).toBe(changed)
      expect(answer.update_norms[name]! / Math.sqrt(squares) || 1).toBeCloseTo(1, 9)
    }
    if (state === undefined) continue
    const tensors = tensorsOf(learner, tables)
    expect([...tensors.keys()].sort()).toEqual(Object.keys(state.tensors).sort())
    for (const [name, { sha256: expected, first = [] }] of Object.entries(state.tensors)) {
      const found = tensors.get(name)!
      expect([...found.subarray(0, first.length)], `${name}, step ${s}`).toEqual(first.map(Math.fround))
      expect(sha256(found), `${name}, step ${s}`).toBe(expected)
    }
    for (const [name, steps] of Object.entries(state.optimizer_steps ?? {})) {
      expect(learner.tables.find((table) => table.name === name)?.steps).toBe(steps)
    }
  }
}
