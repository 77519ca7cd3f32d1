import { describe, expect, test } from 'vitest'
import { sha256 } from '../../goldens.js'
import { expectNorms, expectSteps } from './expect-golden.js'
import { callOf, denseGradient, FULL_SIZE, GOLDENS, learnerOf } from './goldens.js'

describe('sums of gradients are PyTorch’s to the bit', () => {
  const SENT = ' (position_ids sent: t)'
  test.each(GOLDENS.sums.map((each) => [each.id, each] as const))(
    '%s',
    (_, { model, calls, expect: [state] }) => {
      for (const isSent of [false, true]) {
        const names = Object.keys(state!.tensors).filter((name) => name.endsWith(SENT) === isSent)
        if (names.length === 0) continue
        const { learner } = learnerOf(model, { type: 'sgd', lr: 0.1 })
        let sent = {}
        for (const [k, given] of calls.entries()) {
          const call = callOf(given, model, 0, k, isSent ? 'same' : given.position_ids)
          sent = learner.gradients(call).grad_norms
        }
        for (const name of names) {
          const table = name.replace('gradients.', '').replace(SENT, '')
          const gradient = denseGradient(learner, table)
          expect([...gradient.subarray(0, 8)], name).toEqual(state!.tensors[name]!.first!.map(Math.fround))
          expect(sha256(gradient), name).toBe(state!.tensors[name]!.sha256)
        }
        if (!isSent) {
          const norms = Object.entries(state!.grad_norms ?? {}).filter(([name]) => !name.endsWith(SENT))
          expectNorms(sent, Object.fromEntries(norms), 'gradients.')
        }
      }
    },
  )
})

// Those of full size are among the heavy tests.
test.each(GOLDENS.steps.filter((each) => !FULL_SIZE.test(each.id)).map((each) => [each.id, each] as const))(
  'tables and states after steps are PyTorch’s to the bit: %s',
  (_, golden) => expectSteps(golden),
)
