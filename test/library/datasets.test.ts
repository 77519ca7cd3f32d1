import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type DatasetBatch,
  type DatasetRecipeOptions,
  datasetFromFile,
  datasetFromIds,
  mixtureOf,
  modelFromSeed,
} from '../../src/index.js'

const folder = mkdtempSync(join(tmpdir(), 'inlet-datasets-'))
afterAll(() => rmSync(folder, { recursive: true }))

const END = 50_256

/** 40 documents of 1 … 79 ids, each with its end. */
const documents = Array.from({ length: 40 }, (_, d) => [
  ...Array.from({ length: (d * 37) % 79 }, (_, t) => (d * 1000 + t) % END),
  END,
])

function fileOf(name: string, ids: Uint16Array | Int32Array): string {
  const path = join(folder, name)
  writeFileSync(path, new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength))
  return path
}

const recipe: DatasetRecipeOptions = {
  ...{
    context_length: 32,
    batch_size: 12,
    packing: 'best_fit',
    pad_token_id: END,
    shuffle: 'index',
    seed: 7,
  },
}

async function rowsOf(batches: AsyncIterable<DatasetBatch>): Promise<number[][]> {
  const rows: number[][] = []
  for await (const {
    input_ids: ids,
    shape: [B, T],
  } of batches) {
    for (let row = 0; row < B; row++) rows.push([...ids.subarray(row * T, (row + 1) * T)])
  }
  return rows
}

describe('a file of ids', () => {
  test.each([
    ['uint16', Uint16Array.from(documents.flat())],
    ['int32', Int32Array.from(documents.flat())],
    ['uint32', Int32Array.from(documents.flat())],
  ] as const)('gives the batches that its ids give in memory: %s', async (dtype, ids) => {
    const file = await datasetFromFile(fileOf(`${dtype}.bin`, ids), { dtype, separator_id: END })
    const memory = datasetFromIds(documents)
    expect([file.numDocuments, file.numTokens]).toEqual([40, ids.length])
    const { recipeId: _, ...plan } = file.plan(recipe)
    expect(memory.plan(recipe)).toMatchObject(plan)
    for (let i = 0; i < plan.numBatches; i++) {
      const { recipeId: _, ...batch } = await file.batch(i, recipe)
      expect(await memory.batch(i, recipe)).toMatchObject(batch)
    }
    await file.close()
  })

  test('that holds half an id is refused', async () => {
    const path = join(folder, 'odd.bin')
    writeFileSync(path, new Uint8Array(7))
    await expect(datasetFromFile(path)).rejects.toMatchObject({ code: 'invalid_request', param: 'path' })
  })

  test('that is closed, or has become shorter, says so', async () => {
    const path = fileOf(
      'short.bin',
      Uint16Array.from({ length: 100 }, (_, i) => i),
    )
    const file = await datasetFromFile(path)
    const last = { context_length: 4, batch_size: 20 }
    truncateSync(path, 150)
    await expect(file.batch(0, last)).rejects.toThrow(`${path} has become shorter`)
    await file.close()
    await expect(file.batch(0, last)).rejects.toMatchObject({
      message: `${path} is closed.`,
      code: 'EBADF',
    })
  })

  test('that has a negative id is refused where the id is read', async () => {
    const file = await datasetFromFile(fileOf('negative.bin', Int32Array.of(1, 2, -3, 4, 5)), {
      dtype: 'int32',
    })
    await expect(file.batch(0, { context_length: 4, batch_size: 1 })).rejects.toMatchObject({
      code: 'token_out_of_range',
    })
    await file.close()
  })
})

describe('a loop over batches', () => {
  const endless = async (batches: () => AsyncIterable<unknown>) => {
    let isOver = false
    setImmediate(() => {
      isOver = true
    })
    for (let pass = 0; pass < 100; pass++) for await (const _ of batches()) if (isOver) return true
    return false
  }

  test('leaves timers, sockets and signals their turns', async () => {
    const ids = Uint16Array.from({ length: 200_000 }, (_, i) => i % 50_000)
    const file = await datasetFromFile(fileOf('long.bin', ids))
    const long = { context_length: 4, batch_size: 2 }
    expect(await endless(() => file.batches(long))).toBe(true)
    expect(await endless(() => datasetFromIds([ids]).batches(long))).toBe(true)
    expect(await endless(() => mixtureOf([{ dataset: file, weight: 1 }]).batches(long))).toBe(true)
    const model = await modelFromSeed(1, { embedding_dim: 4 })
    expect(await endless(() => model.batches(Int32Array.from(ids), long))).toBe(true)
    model.dispose()
    await file.close()
  })
})

describe('batches of an epoch', () => {
  const data = datasetFromIds(documents)

  test('hold every token once under best-fit packing', async () => {
    const rows = await rowsOf(data.batches(recipe))
    const held = rows.flat().filter((id) => id !== END)
    expect(held.sort()).toEqual(
      documents
        .flat()
        .filter((id) => id !== END)
        .sort(),
    )
  })

  test('are the same rows on 1, 2, 3 and 4 ranks, in the same order', async () => {
    const alone = await rowsOf(data.batches(recipe))
    for (const world_size of [2, 3, 4]) {
      const { numBatches } = data.plan(recipe)
      const rows: number[][] = []
      for (let i = 0; i < numBatches; i++) {
        for (let rank = 0; rank < world_size; rank++) {
          const one = await data.batch(i, { ...recipe, world_size, rank })
          rows.push(...(await rowsOf(once(one))))
        }
      }
      expect(rows).toEqual(alone)
    }
  })

  test('go on in mid-epoch by the number of the next batch', async () => {
    const all = await rowsOf(data.batches(recipe))
    expect(await rowsOf(data.batches(recipe, 2))).toEqual(all.slice(2 * recipe.batch_size))
  })
})

async function* once<Value>(value: Value): AsyncGenerator<Value> {
  yield value
}

describe('a recipe that cannot be', () => {
  const data = datasetFromIds(documents)
  const plain = { context_length: 8, batch_size: 4 }

  test.each([
    ['seed', { ...plain, shuffle: 'index' as const }, /`seed` is needed where `shuffle` is index/],
    ['seed', { ...plain, seed: 2 ** 60 }, /`seed` must be an integer/],
    ['epoch', { ...plain, shuffle: true, seed: 1, epoch: 1001 }, /at most 1000/],
    [
      'stride',
      { ...plain, packing: 'best_fit' as const, pad_token_id: 0, stride: 4 },
      /must be `context_length`, 8/,
    ],
    ['rank', { ...plain, rank: 1 }, /below `world_size`, 1\. Given: 1/],
    ['batch_size', { ...plain, world_size: 3 }, /divisible by `world_size`, 3.*Given: 4/],
    [
      'shuffle',
      { ...plain, shuffle: 'index' as const, seed: 1, sharding: 'distributed_sampler' as const },
      /must be true or false/,
    ],
    ['pad_token_id', { ...plain, tail: 'pad' as const }, /is needed/],
    ['context_length', { batch_size: 4, context_length: 0 }, /at least 1\. Given: 0/],
    ['num_batches', { ...plain, num_batches: 1025 }, /at most 1024/],
  ])('names %s, its rule and the value: %j', (param, options, message) => {
    expect(() => data.plan(options)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param, message: expect.stringMatching(message) }),
    )
  })

  test('a batch beyond the last', async () => {
    const { numBatches } = data.plan(recipe)
    await expect(data.batch(numBatches, recipe)).rejects.toMatchObject({ code: 'batch_out_of_range' })
  })
})
