import { expect, test } from 'vitest'
import { jsonAnswer, listOf, numberSlices, sliced } from '../../../src/first-layer/formats/json.js'
import { collect } from '../../collect.js'

test('lists stand where their places are, beside strings that look like one', async () => {
  const name = 'a {"":0} “b”'
  const more = {
    squares: listOf(
      sliced(1000, (i) => ({ i, square: i * i })),
      7,
    ),
    none: listOf(sliced(0, () => 0)),
  }
  const numbers = [Int32Array.from({ length: 5000 }, (_, i) => i), Int32Array.of(7)]
  const { body, size } = jsonAnswer({ name, ids: listOf(numberSlices(numbers), 40), more })
  const { bytes } = await collect(body)
  const squares = Array.from({ length: 1000 }, (_, i) => ({ i, square: i * i }))
  const ids = [...Array(5000).keys(), 7]
  expect(bytes.toString()).toBe(JSON.stringify({ name, ids, more: { squares, none: [] } }))
  const around = Buffer.byteLength(JSON.stringify({ name, ids: 0, more: { squares: 0, none: 0 } })) - 3
  expect(size).toBe(around + 40 + 7)
})
