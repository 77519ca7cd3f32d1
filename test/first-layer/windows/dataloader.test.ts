import { describe, expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { randperm, shuffledOrder } from '../../../src/first-layer/random/permutation.js'
import { countBatches, selectPlaces } from '../../../src/first-layer/windows/batch.js'
import { readGolden, sha256, verdictIds } from '../../goldens.js'
import { twinBatches } from '../../twins/windows.js'
import { batchOf, range } from './documents.js'

interface Epoch {
  readonly n_batches: number
  readonly first3_batches_rows: number[][]
  readonly last_batch_rows: number[]
  readonly rows_sha256_i32le: string
  readonly last_batch_inputs: number[][] | null
}

interface Case {
  readonly id: string
  readonly params: {
    text?: string
    n_ids?: number
    max_length: number
    stride: number
    batch_size: number
    shuffle: boolean
    drop_last: boolean
    seed: number
    generator: 'global' | 'explicit'
    epochs: number
  }
  readonly expect: { n_windows: number; epochs: Epoch[]; next_words_low31: number[] }
}

const { cases } = readGolden<{ cases: Case[] }>('dataloader.json')
const byGenerator = (generator: string) => cases.filter(({ params }) => params.generator === generator)

function idsOf({ params }: Case): number[] {
  return params.text === undefined ? range(params.n_ids ?? 0) : verdictIds()
}

function expectEpoch(rows: readonly number[], { params }: Case, epoch: Epoch): void {
  const batches = twinBatches(rows, params.batch_size, params.drop_last)
  expect(batches.length).toBe(epoch.n_batches)
  expect(batches.slice(0, 3)).toEqual(epoch.first3_batches_rows)
  expect(batches.at(-1)).toEqual(epoch.last_batch_rows)
  expect(sha256(Int32Array.from(batches.flat()))).toBe(epoch.rows_sha256_i32le)
}

const drawWords = (generator: TorchGenerator, count: number) =>
  Array.from({ length: count }, () => generator.random32() & 0x7fffffff)

describe.each(byGenerator('global'))('$id', (golden) => {
  const { max_length, stride, batch_size, shuffle, drop_last, seed } = golden.params

  test.each([...golden.expect.epochs.entries()])('epoch %i', async (epoch, expected) => {
    const rule = {
      context_length: max_length,
      stride,
      batch_size,
      shuffle,
      seed: BigInt(seed),
      epoch,
      drop_last,
    }
    const all = await batchOf([idsOf(golden)], rule)
    expect(all.windows.count).toBe(golden.expect.n_windows)
    const rows = [...all.windowStarts].map((start) => start / stride)
    expectEpoch(rows, golden, expected)

    const last = await batchOf([idsOf(golden)], { ...rule, batch_index: expected.n_batches - 1 })
    expect([...last.windowStarts].map((start) => start / stride)).toEqual(expected.last_batch_rows)
    if (expected.last_batch_inputs !== null) {
      const shown = expected.last_batch_inputs.flat()
      expect([...last.inputs.slice(0, shown.length)]).toEqual(shown)
    }
  })

  test('leaves the global generator where PyTorch leaves it', () => {
    const generator = new TorchGenerator(seed)
    for (const _ of golden.expect.epochs) {
      generator.randint64() // the base seed, drawn whether or not there are workers
      if (shuffle) generator.randint64() // the sampler's seed
    }
    const expected = golden.expect.next_words_low31
    expect(drawWords(generator, expected.length)).toEqual(expected)
  })
})

// A request cannot hand over a generator: the module is asked for these orders.
test.each(byGenerator('explicit'))('$id', (golden) => {
  const generator = new TorchGenerator(golden.params.seed)
  for (const expected of golden.expect.epochs) {
    generator.randint64() // the base seed
    const order = randperm(generator, golden.expect.n_windows)
    randperm(generator, golden.expect.n_windows) // drawn when the sampler has run dry, and thrown away
    expectEpoch([...order], golden, expected)
  }
  const expected = golden.expect.next_words_low31
  expect(drawWords(generator, expected.length)).toEqual(expected)
})

test('only the low 32 bits of a seed count, and a negative seed is its two’s complement', async () => {
  const order = async (seed: bigint) => [...shuffledOrder(100, seed, 0)]
  expect(await order(2n ** 32n + 5n)).toEqual(await order(5n))
  expect(await order(-1n)).toEqual(await order(2n ** 64n - 1n))
  expect(await order(5n)).not.toEqual(await order(6n))
})

test('a batch is a run of places in loader order', () => {
  const rule = { batch_size: 8, drop_last: false }
  expect(countBatches(1286, 8, false)).toEqual({ numBatches: 161, numDroppedWindows: 0 })
  expect(countBatches(1286, 8, true)).toEqual({ numBatches: 160, numDroppedWindows: 6 })
  expect(selectPlaces(1286, { ...rule, batch_index: 160 })).toEqual({ from: 1280, to: 1286 })
  expect(selectPlaces(1286, { ...rule, drop_last: true })).toEqual({ from: 0, to: 1280 })
})
