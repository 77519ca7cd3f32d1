import { describe, expect, it } from 'vitest'
import { drawnTables } from '../../../src/embeddings/positions/drawn-tables.js'
import { TorchGenerator } from '../../../src/random/generator.js'

describe('drawn tables', () => {
  it('come one after the other from one stream', () => {
    const generator = new TorchGenerator(5)
    const expected = [20, 3, 40].map((length) => {
      const table = new Float32Array(length)
      generator.normal(table)
      return table
    })
    expect(drawnTables(5, [20, 3, 40])()).toEqual(expected)
    expect(drawnTables('5', [20, 3, 40])()).toEqual(expected)
  })

  it('are the same where they are drawn in slices, and other work runs in between', async () => {
    const lengths = [2 ** 21 + 5, 7, 2 ** 18 + 17]
    const sliced = drawnTables(9, lengths)
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    await sliced.prepare()
    clearInterval(counting)
    expect(turns).toBeGreaterThan(1)
    const generator = new TorchGenerator(9)
    for (const [i, length] of lengths.entries()) {
      const table = new Float32Array(length)
      generator.normal(table)
      expect(Buffer.compare(Buffer.from(table.buffer), Buffer.from(sliced()[i]!.buffer))).toBe(0)
    }
    expect(drawnTables(9, lengths)()).toBe(sliced())
  })

  it('are kept between requests, the latest ones', () => {
    const first = drawnTables(1, [100])()
    expect(drawnTables(1, [100])()).toBe(first)
    for (let seed = 2; seed < 6; seed++) drawnTables(seed, [2 ** 21])()
    const again = drawnTables(1, [100])()
    expect(again).not.toBe(first)
    expect(again).toEqual(first)
  })

  it('differ by seed and by the order of the draws', () => {
    const [a] = drawnTables(7, [32])()
    expect(drawnTables(8, [32])()[0]).not.toEqual(a)
    expect(drawnTables(7, [16, 32])()[1]).not.toEqual(a)
  })
})
