import { expect, test } from 'vitest'
import { Learner } from '../../src/first-layer/learning/learner.js'
import { TorchGenerator } from '../../src/first-layer/random/generator.js'
import { expectSteps } from '../first-layer/learning/expect-golden.js'
import { FULL_SIZE, formula, GOLDENS } from '../first-layer/learning/goldens.js'
import { readGolden, sha256 } from '../goldens.js'

const [V, C, N] = [50_257, 256, 256]

interface Golden {
  readonly steps: number
  readonly cases: readonly {
    readonly optimizer: Readonly<Record<string, unknown>>
    readonly sha256: string
  }[]
}
const { steps, cases } = readGolden<Golden>('learning_steps.json')

/** Half of the ids from the whole table, half of them from 97 rows. */
function idsOf(step: number): Int32Array {
  return Int32Array.from({ length: N }, (_, i) => {
    const [at, mod, salt] = i < N / 2 ? [i, V, 1] : [i - N / 2, 97, 2]
    return (at * 7919 + step * 104_729 + salt) % mod
  })
}

// Each rounding of each step has to be PyTorch's: one wrong bit grows, or stays.
test.each(cases.map((each) => [JSON.stringify(each.optimizer), each] as const))(
  `${steps} steps of %s give PyTorch’s table to the bit`,
  (_, golden) => {
    const learner = new Learner(golden.optimizer, [{ name: 'wte.weight', rows: V, dim: C }])
    const table = learner.tables[0]!.numbers
    new TorchGenerator(123n).normal(table)
    for (let step = 1; step <= steps; step++) {
      const bytes = new Uint8Array(formula(N * C, 1_000_003 * step).buffer)
      learner.gradients({ token_ids: idsOf(step), token_gradients: { dtype: 'float32', bytes } })
      learner.apply()
    }
    expect(sha256(table)).toBe(golden.sha256)
  },
)

test.each(GOLDENS.steps.filter(({ id }) => FULL_SIZE.test(id)).map((each) => [each.id, each] as const))(
  'tables and states after three steps of tokens and positions are PyTorch’s to the bit: %s',
  (_, golden) => expectSteps(golden),
)
