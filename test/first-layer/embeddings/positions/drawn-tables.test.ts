import { describe, expect, it } from 'vitest'
import { drawnTables } from '../../../../src/first-layer/embeddings/positions/drawn-tables.js'
import { drawTables } from '../../../../src/first-layer/random/drawn.js'
import { TorchGenerator } from '../../../../src/first-layer/random/generator.js'

/** A seed that no other test has. */
let lastSeed = 1000
const freshSeed = () => lastSeed++

function drawnAtOnce(seed: number, lengths: readonly number[]): Float32Array[] {
  const generator = new TorchGenerator(seed)
  return lengths.map((length) => {
    const table = new Float32Array(length)
    generator.normal(table)
    return table
  })
}

const bytesOf = (tables: readonly Float32Array[]) =>
  Buffer.concat(tables.map((table) => Buffer.from(table.buffer, table.byteOffset, table.byteLength)))

describe('drawn tables', () => {
  it('come one after the other from one stream', () => {
    const expected = drawnAtOnce(5, [20, 3, 40])
    expect(drawnTables(5, [20, 3, 40])()).toEqual(expected)
    expect(drawnTables('5', [20, 3, 40])()).toEqual(expected)
  })

  it('may be drawn elsewhere, if they are many', () => {
    const lengths = [2 ** 21 + 5, 7, 2 ** 18 + 17]
    const tables = drawnTables(9, lengths)
    expect(tables.drawn?.areThere).toBe(false)
    expect(tables.drawn?.bytes).toBe(4 * lengths.reduce((sum, length) => sum + length))
    const elsewhere = drawTables(tables.drawn!.drawing)
    tables.drawn?.take(elsewhere)
    expect(tables()).toBe(elsewhere)
    expect(bytesOf(elsewhere).equals(bytesOf(drawnAtOnce(9, lengths)))).toBe(true)
    expect(drawnTables(9, lengths).drawn?.areThere).toBe(true)
    expect(drawnTables(9, [100]).drawn).toBeUndefined()
  })

  it('are kept between requests, the latest ones', () => {
    const first = drawnTables(1, [100])()
    expect(drawnTables(1, [100])()).toBe(first)
    for (let i = 0; i < 5; i++) drawnTables(freshSeed(), [2 ** 21])()
    const again = drawnTables(1, [100])()
    expect(again).not.toBe(first)
    expect(again).toEqual(first)
  })

  it('are kept in a bounded number too, since the map’s entries weigh more than the smallest', () => {
    const first = drawnTables(2, [2])()
    for (let i = 0; i < 100; i++) drawnTables(freshSeed(), [2])()
    expect(drawnTables(2, [2])()).not.toBe(first)
  })

  it('differ by seed and by the order of the draws', () => {
    const [a] = drawnTables(7, [32])()
    expect(drawnTables(8, [32])()[0]).not.toEqual(a)
    expect(drawnTables(7, [16, 32])()[1]).not.toEqual(a)
  })
})
