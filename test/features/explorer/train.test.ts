import { expect, it } from 'vitest'
import { type Lesson, stepOf } from '../../../src/features/explorer/page/train.js'

/** Three rows of two numbers; each place: a row, the next one, and a position row. */
const lesson: Lesson = {
  ids: [7, 8, 9],
  names: ['a', 'b', 'c'],
  channels: 2,
  rows: Float32Array.of(0.5, -1, 1.5, 0.25, -0.75, 1),
  places: [
    { input: 0, target: 1, added: Float32Array.of(0.1, 0.2) },
    { input: 1, target: 2, added: Float32Array.of(-0.3, 0.4) },
    { input: 0, target: 0, added: new Float32Array() },
  ],
}
const variance = (0.5 ** 2 + 1 + 1.5 ** 2 + 0.25 ** 2 + 0.75 ** 2 + 1) / 6

/** The mean cross entropy, written out. */
function lossAt(table: readonly number[]): number {
  const losses = lesson.places.map(({ input, target, added }) => {
    const x = [0, 1].map((c) => table[2 * input + c] + (added[c] ?? 0))
    const scores = [0, 1, 2].map(
      (row) => (x[0] * table[2 * row] + x[1] * table[2 * row + 1]) / variance / Math.SQRT2,
    )
    return -Math.log(Math.exp(scores[target]) / scores.reduce((sum, each) => sum + Math.exp(each), 0))
  })
  return losses.reduce((sum, each) => sum + each) / losses.length
}

it('is a step down the gradient of the loss, as differences of the loss say', () => {
  const { loss, table } = stepOf(lesson, lesson.rows)
  const rows = [...lesson.rows]
  expect(loss).toBeCloseTo(lossAt(rows), 6)
  const small = 1e-4
  for (const [index, value] of rows.entries()) {
    const [up, down] = [small, -small].map((by) => lossAt(rows.with(index, value + by)))
    expect((value - table[index]) / variance).toBeCloseTo((up - down) / (2 * small), 5)
  }
})
