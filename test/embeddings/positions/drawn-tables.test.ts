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
