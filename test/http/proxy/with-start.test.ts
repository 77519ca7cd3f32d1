import { expect, test } from 'vitest'
import { withStart } from '../../../src/http/proxy/with-start.js'

const SMALL = (1 << 16) - 1

/** The lengths of what goes together, where all pieces lie in one buffer that is written anew for each. */
async function lengthsOf(lengths: readonly number[]): Promise<number[][]> {
  const block = Buffer.alloc(1 << 17)
  async function* pieces() {
    for (const [i, length] of lengths.entries()) yield block.fill(i).subarray(0, length)
    block.fill(0xff)
  }
  const found: number[][] = []
  let count = 0
  for await (const blocks of withStart(pieces())) {
    for (const bytes of blocks) {
      expect(bytes.every((byte) => byte === count)).toBe(true)
      count++
    }
    found.push(blocks.map(({ length }) => length))
  }
  expect(count).toBe(lengths.length)
  return found
}

test.each([
  ['nothing', [], []],
  ['a small piece alone', [5], [[5]]],
  ['a large piece alone', [SMALL + 1], [[SMALL + 1]]],
  ['a small piece with the large one behind it', [SMALL, 1 << 17, 7], [[SMALL, 1 << 17], [7]]],
  ['two small pieces together, the third on its own', [5, 6, 7, 8], [[5, 6], [7], [8]]],
  ['a large first piece at once', [SMALL + 1, 6, 7], [[SMALL + 1], [6], [7]]],
])('%s', async (_, lengths, expected) => {
  expect(await lengthsOf(lengths)).toEqual(expected)
})

test('pieces that fail behind the first end with that error, and those that are not wanted end', async () => {
  let hasEnded = false
  async function* pieces() {
    try {
      yield Buffer.from('a')
      yield Buffer.from('b')
      throw new Error('no more')
    } finally {
      hasEnded = true
    }
  }
  const read = async () => {
    for await (const _ of withStart(pieces()));
  }
  await expect(read()).rejects.toThrow('no more')
  hasEnded = false
  for await (const _ of withStart(pieces())) break
  expect(hasEnded).toBe(true)
})
