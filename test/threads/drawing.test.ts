import '../built.js'
import { describe, expect, it } from 'vitest'
import { drawnTables, TABLE_KEYS, type TableSpec, tablesIn } from '../../src/embeddings/tables.js'
import { drawInThread } from '../../src/threads/drawing.js'

// The thread is the built one: dist/draw.js.

const SPEC: TableSpec = {
  vocabSize: 5003,
  maxPositionEmbeddings: 33,
  typeVocabSize: 3,
  embeddingDim: 101,
  seed: 2n ** 64n - 1n,
  initStd: 0.02,
}

describe('tables drawn in a thread of their own', () => {
  it('are those that are drawn here, bit for bit', async () => {
    const here = tablesIn(await drawnTables(SPEC, 2), SPEC)
    const shared = await drawInThread(SPEC, 2)
    const there = tablesIn(shared, SPEC)
    for (const key of TABLE_KEYS) expect(Buffer.compare(bytes(there[key]), bytes(here[key])), key).toBe(0)
    expect(shared.workspaces).toHaveLength(2)
  })

  it('are told of share by share', async () => {
    const shares: number[] = []
    await drawInThread({ ...SPEC, vocabSize: 20_000 }, 1, (share) => shares.push(share))
    expect(shares.length).toBeGreaterThan(3)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
  })

  it('are refused where they do not fit into the memory', async () => {
    await expect(drawInThread({ ...SPEC, embeddingDim: 2 ** 20 }, 1)).rejects.toThrow(RangeError)
  })
})

function bytes(table: Float32Array): Uint8Array {
  return new Uint8Array(table.buffer, table.byteOffset, table.byteLength)
}
