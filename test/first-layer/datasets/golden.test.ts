import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { planBatch } from '../../../src/first-layer/datasets/batch.js'
import { Mixture, stageShares } from '../../../src/first-layer/datasets/mixture.js'
import { mixtureStream } from '../../../src/first-layer/datasets/mixture-batch.js'
import { drawPermutation, permuted, roundKeys } from '../../../src/first-layer/datasets/orders.js'
import { epochStream, permutationOf } from '../../../src/first-layer/datasets/recipe.js'
import type { SegmentBatch } from '../../../src/first-layer/datasets/segment-batch.js'
import { type Corpus, corpusOf, GOLDENS, recipeOf, windowsOf } from './corpora.js'

const sha256 = (values: Int32Array) =>
  createHash('sha256')
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest('hex')

/** A whole tensor of a batch, made in pieces of 37 elements: no piece ends where a row does. */
function whole(batch: SegmentBatch, fill: (out: Int32Array, first: number) => void): Int32Array {
  const all = new Int32Array(batch.count * batch.contextLength)
  for (let at = 0; at < all.length; at += 37) fill(all.subarray(at, at + 37), at)
  return all
}

function cuSeqLens(batch: SegmentBatch): Int32Array {
  const all = new Int32Array(batch.segmentCount + 1)
  for (let at = 0; at < all.length; at += 37) batch.fill('cu_seq_lens', all.subarray(at, at + 37), at)
  return all
}

describe.each(GOLDENS.cases)('the batches of $id, as the law in plain Python gives them', (golden) => {
  const corpus: Corpus = corpusOf(golden.dataset)
  const recipe = recipeOf(golden.recipe)
  const windows = windowsOf(corpus.documents, recipe)

  test('has as many windows, filled as far', () => {
    expect(windows.count).toBe(golden.num_windows)
    expect(windows.filledSlots).toBe(golden.slots_filled)
  })

  test.each(golden.expect)('batch $batch, epoch $epoch, rank $rank of $world_size', async (expected) => {
    const { batch: batchIndex, epoch = 0, rank = 0, world_size: worldSize = 1 } = expected
    const asked = { ...recipe, epoch, rank, world_size: worldSize }
    const permutation = permutationOf(windows.count, asked)
    const drawn = permutation && drawPermutation(permutation)
    const stream = epochStream(windows.count, asked, drawn)
    const chosen: number[] = []
    const noted = {
      count: windows.count,
      segments(window: number) {
        chosen.push(window)
        return windows.segments(window)
      },
    }
    const batch = await planBatch([{ ...corpus, windows: noted }], stream, asked, batchIndex).read()
    expect(chosen.slice(0, expected.windows_first.length)).toEqual(expected.windows_first)
    expect(batch.count).toBe(expected.num_rows)
    const inputIds = whole(batch, (out, first) => batch.fill('input_ids', out, first))
    expect([...inputIds.subarray(0, expected.input_ids_first.length)]).toEqual(expected.input_ids_first)
    expect({
      input_ids_sha256: sha256(inputIds),
      target_ids_sha256: sha256(whole(batch, (out, first) => batch.fill('target_ids', out, first))),
      position_ids_sha256: sha256(whole(batch, (out, first) => batch.fill('position_ids', out, first, 0))),
      segment_ids_sha256: sha256(whole(batch, (out, first) => batch.fill('segment_ids', out, first))),
      attention_mask_sha256: sha256(whole(batch, (out, first) => batch.fill('attention_mask', out, first))),
      cu_seq_lens_sha256: sha256(cuSeqLens(batch)),
    }).toEqual({
      input_ids_sha256: expected.input_ids_sha256,
      target_ids_sha256: expected.target_ids_sha256,
      position_ids_sha256: expected.position_ids_sha256,
      segment_ids_sha256: expected.segment_ids_sha256,
      attention_mask_sha256: expected.attention_mask_sha256,
      cu_seq_lens_sha256: expected.cu_seq_lens_sha256,
    })
  })
})

test.each(GOLDENS.permutations)('the keyed order of $n under seed $seed in epoch $epoch', (golden) => {
  const { n, epoch } = golden
  const keys = roundKeys(BigInt(golden.seed), epoch, 0)
  const length = Math.min(n, 5000) // as many as the goldens hold
  const order = Array.from({ length }, (_, k) => permuted(k, n, keys))
  expect(order.slice(0, golden.first.length)).toEqual(golden.first)
  const bytes = new BigInt64Array(order.map(BigInt))
  expect(createHash('sha256').update(new Uint8Array(bytes.buffer)).digest('hex')).toBe(golden.sha256)
})

describe('a mixture of three corpora, whose weights change at a window', () => {
  const { mixture } = GOLDENS
  const recipe = recipeOf(mixture.recipe)
  const members = mixture.members.map((name) => {
    const corpus = corpusOf(name)
    return { ...corpus, windows: windowsOf(corpus.documents, recipe) }
  })
  const stages = mixture.stages.map(([from_window, weights]) => ({ from_window, weights }))
  const opened = new Mixture(
    stageShares(stages),
    members.map(({ windows }) => windows),
    recipe,
  )

  test('has as many windows of each', () => {
    expect(members.map(({ windows }) => windows.count)).toEqual(mixture.num_windows)
  })

  test.each(mixture.expect)('batch $batch', async (expected) => {
    const rows = Array.from({ length: recipe.batch_size }, (_, row) =>
      opened.at(expected.batch * recipe.batch_size + row),
    )
    expect(rows.slice(0, expected.first.length).map((r) => [r.dataset, r.epoch, r.window])).toEqual(
      expected.first,
    )
    for (const worldSize of [1, 2, 8]) {
      const indices: number[] = []
      const ids: number[] = []
      for (let rank = 0; rank < worldSize; rank++) {
        const asked = { ...recipe, rank, world_size: worldSize }
        const stream = mixtureStream(opened, recipe)
        const batch = await planBatch(members, stream, asked, expected.batch).read()
        ids.push(...whole(batch, (out, first) => batch.fill('input_ids', out, first)))
        const index = new Int32Array(batch.count)
        batch.fill('dataset_index', index, 0)
        indices.push(...index)
      }
      expect(sha256(Int32Array.from(indices))).toBe(expected.dataset_index_sha256)
      expect(sha256(Int32Array.from(ids))).toBe(expected.input_ids_sha256)
    }
  })

  test('the first epochs of its datasets end after their last windows of epoch 0', () => {
    const seen = members.map(() => new Set<number>())
    const ends = members.map(() => 0)
    for (let place = 0; place < 30_000; place++) {
      const { dataset, epoch, window } = opened.at(place)
      if (epoch > 0) continue
      seen[dataset]!.add(window)
      ends[dataset] = place + 1
    }
    expect(seen.map(({ size }) => size)).toEqual(mixture.num_windows)
    expect(ends.map((_, j) => opened.firstEpochEnd(j))).toEqual(ends)
    expect(opened.shares).toEqual([
      [717, 205, 102],
      [256, 256, 512],
    ])
  })
})
