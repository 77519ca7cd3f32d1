import { expect, test } from 'vitest'
import { Learner } from '../../../src/first-layer/learning/learner.js'

const [V, C, N] = [40, 37, 33]
const ids = Int32Array.from({ length: N }, (_, i) => (7 * i) % V)

/** The pending sums after gradients whose bytes begin at `address`, with other bytes around them. */
function pendingOf(given: Uint8Array, dtype: 'float32' | 'float16' | 'bfloat16', address: number) {
  const around = new Uint8Array(given.length + 32).fill(0x55)
  around.set(given, address)
  const bytes = around.subarray(address, address + given.length)
  const learner = new Learner({ type: 'sgd' }, [{ name: 'wte.weight', rows: V, dim: C }])
  const { grad_norms } = learner.gradients({ token_gradients: { bytes, dtype }, token_ids: ids })
  const { pending } = learner.tables[0]!
  return { grad_norms, rows: [...pending.rows].map((row) => [row, ...pending.numbersOf(row)!]) }
}

test('gradients are the same wherever their bytes begin', () => {
  for (const dtype of ['float32', 'float16', 'bfloat16'] as const) {
    const words = new Uint16Array(2 * N * C).map((_, i) => 0x3c00 + ((i * 2531) % 0x0300))
    const given = new Uint8Array(words.buffer, 0, (dtype === 'float32' ? 4 : 2) * N * C)
    const expected = pendingOf(given, dtype, 0)
    expect(expected.rows).toHaveLength(N)
    for (let address = 1; address <= 16; address++) {
      expect(pendingOf(given, dtype, address), `${dtype} at ${address}`).toEqual(expected)
    }
  }
})
