import { describe, expect, test } from 'vitest'
import {
  type Blocks,
  blocksNow,
  chained,
  comeLater,
  written,
} from '../../../src/first-layer/tensors/blocks.js'

const now = (...numbers: number[]): Blocks => numbers.map((each) => Uint8Array.of(each))

async function* later(...numbers: number[]): AsyncGenerator<Uint8Array, void, void> {
  for (const each of numbers) yield Uint8Array.of(each)
}

async function numbersOf(blocks: Blocks): Promise<number[]> {
  const numbers: number[] = []
  for await (const block of blocks) numbers.push(...block)
  return numbers
}

describe.each([
  ['at once', now],
  ['later', later],
])('blocks that come %s', (when, blocks) => {
  test('stand one behind the other', async () => {
    const all = chained([now(1), blocks(2, 3), now(), now(4)])
    expect(comeLater(all)).toBe(when === 'later')
    expect(await numbersOf(all)).toEqual([1, 2, 3, 4])
  })

  test('become others, and the writer is released, however the reader ends', async () => {
    let held = 0
    const doubled = () =>
      written(chained([[Uint8Array.of(1, 2)], blocks(3)]), () => {
        held++
        return {
          most: 1,
          each: ([value]) => Uint8Array.of(2 * value),
          end: () => Uint8Array.of(9),
          release: () => void held--,
        }
      })
    expect(held).toBe(0)
    expect(await numbersOf(doubled())).toEqual([2, 4, 6, 9])
    expect(held).toBe(0)
    for await (const _ of doubled()) {
      expect(held).toBe(1)
      break
    }
    expect(held).toBe(0)
  })
})

test('blocks that come later are not to be had at once', () => {
  expect([...blocksNow(now(1))]).toEqual([Uint8Array.of(1)])
  expect(() => blocksNow(later(1))).toThrow(TypeError)
})
