import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { drawnTables } from '../../../../src/first-layer/embeddings/positions/drawn-tables.js'
import { TorchGenerator } from '../../../../src/first-layer/random/generator.js'
import { ClientGone, drive, UNBOUNDED } from '../../../../src/first-layer/running/drive.js'
import { CountingClaim } from '../../../counting-claim.js'

/** Numbers that are not drawn at once: 4 MiB of them. */
const MANY = 2 ** 20

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

async function prepared(seed: number | string, lengths: readonly number[], claim = UNBOUNDED) {
  const tables = drawnTables(seed, lengths)
  if (tables.prepare !== undefined) await drive(claim, tables.prepare())
  return tables()
}

/** Counts the slices that are drawn. */
function watchDrawing() {
  const drawn = { slices: 0 }
  const normal = TorchGenerator.prototype.normal
  vi.spyOn(TorchGenerator.prototype, 'normal').mockImplementation(function (this: TorchGenerator, ...given) {
    drawn.slices++
    return normal.apply(this, given)
  })
  return drawn
}

/** Lets waiting work go on until a condition holds. */
async function turnUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate()
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('drawn tables', () => {
  it('come one after the other from one stream', () => {
    const expected = drawnAtOnce(5, [20, 3, 40])
    expect(drawnTables(5, [20, 3, 40])()).toEqual(expected)
    expect(drawnTables('5', [20, 3, 40])()).toEqual(expected)
  })

  it('are the same if they are drawn in turns', async () => {
    const lengths = [2 ** 21 + 5, 7, 2 ** 18 + 17]
    let turns = 0
    let running = true
    const counting = (async () => {
      for (; running; turns++) await setImmediate()
    })()
    const tables = await prepared(9, lengths)
    running = false
    await counting
    expect(turns).toBeGreaterThan(1)
    expect(bytesOf(tables).equals(bytesOf(drawnAtOnce(9, lengths)))).toBe(true)
    expect((await prepared(9, lengths)) === tables).toBe(true)
  })

  it('are never drawn at once if they are large', () => {
    expect(() => drawnTables(freshSeed(), [MANY])()).toThrow('before it is prepared')
  })

  it('are kept between requests, the latest ones', async () => {
    const first = drawnTables(1, [100])()
    expect(drawnTables(1, [100])()).toBe(first)
    for (let i = 0; i < 5; i++) await prepared(freshSeed(), [2 ** 21])
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

describe('a drawing', () => {
  it('begins when its bytes are reserved', async () => {
    const drawn = watchDrawing()
    let letIn = () => {}
    const claim = new CountingClaim(
      new Promise<void>((resolve) => {
        letIn = resolve
      }),
    )
    const drawing = prepared(freshSeed(), [MANY, 16], claim)
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    expect(claim.taken).toBe((MANY + 16) * 4)
    expect(drawn.slices).toBe(0)
    letIn()
    await drawing
    expect(drawn.slices).toBeGreaterThan(10)
  })

  it('ends with its client: no slice is drawn without one', async () => {
    const drawn = watchDrawing()
    const claim = new CountingClaim()
    const drawing = prepared(freshSeed(), [16 * MANY], claim)
    await turnUntil(() => drawn.slices > 2)
    claim.leave()
    const before = drawn.slices
    await expect(drawing).rejects.toThrow(ClientGone)
    expect(drawn.slices).toBe(before)
  })
})
