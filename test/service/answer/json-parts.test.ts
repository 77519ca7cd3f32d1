import { expect, test } from 'vitest'
import { type Blocks, PAUSE } from '../../../src/first-layer/steps.js'
import {
  bytesAround,
  joined,
  listOf,
  numberSlices,
  PART,
  sliced,
  textsAround,
  withParts,
} from '../../../src/service/answer/json-parts.js'
import { collect } from '../../collect.js'

test('lists stand where their places are, beside strings that look like one', async () => {
  const name = 'a {"":0} “b”'
  const texts = textsAround({ name, ids: PART, more: { squares: PART, none: PART } })
  const parts = [
    listOf(numberSlices([Int32Array.from({ length: 5000 }, (_, i) => i), Int32Array.of(7)])),
    listOf(sliced(1000, (i) => ({ i, square: i * i }))),
    listOf(sliced(0, () => 0)),
  ]
  const { bytes, blocks } = await collect(withParts(texts, parts))
  const squares = Array.from({ length: 1000 }, (_, i) => ({ i, square: i * i }))
  const ids = [...Array(5000).keys(), 7]
  expect(bytes.toString()).toBe(JSON.stringify({ name, ids, more: { squares, none: [] } }))
  expect(blocks.length).toBeGreaterThan(6)
  expect(bytesAround(texts)).toBe(
    Buffer.byteLength(JSON.stringify({ name, ids: 0, more: { squares: 0, none: 0 } })) - 3,
  )
})

test('small blocks become larger ones, whose bytes outlast the buffer that they came in', async () => {
  function* blocks(): Blocks {
    const used = Buffer.alloc(100_000)
    for (let i = 0; i < 3000; i++) {
      yield PAUSE
      yield used.fill(i % 251).subarray(0, i === 1500 ? 100_000 : 100)
    }
  }
  const [few, all] = [await collect(joined(blocks())), await collect(blocks())]
  expect(few.bytes.equals(all.bytes)).toBe(true)
  expect(few.blocks.length).toBeLessThan(10)
})
