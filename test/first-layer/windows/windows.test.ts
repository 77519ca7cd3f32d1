import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { planWindows, type WindowRule } from '../../../src/first-layer/windows/windows.js'
import { checkProperty } from '../../property.js'
import { type TwinWindow, twinBatches, twinWindows } from '../../twins/windows.js'
import { batchOf, documentsOf, range } from './documents.js'

const PAD = 99_999

/** Documents of 1 … 40 different ids, so that a token in the wrong slot shows. */
const someDocuments = fc
  .array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
  .map((lengths) => lengths.map((length, d) => range(length).map((i) => d * 1000 + i)))

const someRule = fc.record({
  context_length: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  stride: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  tail: fc.constantFrom('drop' as const, 'pad' as const),
})

const flat = (windows: readonly TwinWindow[], part: 'inputs' | 'targets' | 'mask') =>
  windows.flatMap((window) => window[part])

describe('windows are those of the twin', () => {
  test('inputs, targets, masks, places and dropped tokens', async () => {
    await checkProperty(
      fc.asyncProperty(someDocuments, someRule, async (lists, given) => {
        const rule = given.context_length === undefined ? {} : given
        const twin = twinWindows(lists, { ...rule, pad_token_id: PAD })
        const planned = planWindows(documentsOf(lists), rule)
        expect(planned.count).toBe(twin.windows.length)
        expect(planned.droppedTokens).toBe(twin.droppedTokens)
        if (twin.windows.length === 0) return
        const made = await batchOf(lists, { ...rule, pad_token_id: PAD })
        expect([...made.inputs]).toEqual(flat(twin.windows, 'inputs'))
        expect([...made.targets]).toEqual(flat(twin.windows, 'targets'))
        expect([...made.mask]).toEqual(flat(twin.windows, 'mask'))
        expect([...made.documentIds]).toEqual(twin.windows.map(({ document }) => document))
        expect([...made.windowStarts]).toEqual(twin.windows.map(({ start }) => start))
        expect(made.windows.pads).toBe(made.mask.includes(0))
        expect(made.windows.canPad || !made.windows.pads).toBe(true)
      }),
      2000,
    )
  })

  test('any range of elements is the same as cut from the whole', async () => {
    await checkProperty(
      fc.asyncProperty(someDocuments, fc.nat(), fc.nat(), async (lists, a, b) => {
        const { batch, inputs, targets, mask } = await batchOf(lists, {
          context_length: 5,
          stride: 3,
          tail: 'pad',
          pad_token_id: PAD,
        })
        const from = a % inputs.length
        const part = new Int32Array(1 + (b % (inputs.length - from)))
        batch.fill('input_ids', part, from)
        expect(part).toEqual(inputs.slice(from, from + part.length))
        batch.fill('target_ids', part, from)
        expect(part).toEqual(targets.slice(from, from + part.length))
        batch.fill('attention_mask', part, from)
        expect(part).toEqual(mask.slice(from, from + part.length))
      }),
      500,
    )
  })

  test('batches, in the loader’s order', async () => {
    const someLoader = fc.record({
      batch_size: fc.integer({ min: 1, max: 9 }),
      drop_last: fc.boolean(),
      shuffle: fc.boolean(),
      seed: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
      epoch: fc.integer({ min: 0, max: 3 }),
    })
    await checkProperty(
      fc.asyncProperty(someDocuments, someLoader, async (lists, loader) => {
        const { windows } = twinWindows(lists, {
          context_length: 3,
          stride: 2,
          tail: 'pad',
          pad_token_id: PAD,
        })
        const { batch_size, drop_last } = loader
        const ordered = loader.shuffle ? twinOrder(windows, loader.seed, loader.epoch) : windows
        const batches = twinBatches(ordered, batch_size, drop_last)
        const rule = { context_length: 3, stride: 2, tail: 'pad' as const, pad_token_id: PAD, ...loader }
        if (batches.length === 0) {
          await expect(batchOf(lists, rule)).rejects.toMatchObject({ code: 'no_windows' })
          return
        }
        expect([...(await batchOf(lists, rule)).inputs]).toEqual(flat(batches.flat(), 'inputs'))
        for (const [batchIndex, batch] of batches.entries()) {
          const made = await batchOf(lists, { ...rule, batch_index: batchIndex })
          expect([...made.inputs]).toEqual(flat(batch, 'inputs'))
          expect(made.batch.count).toBe(batch.length)
        }
        await expect(batchOf(lists, { ...rule, batch_index: batches.length })).rejects.toMatchObject({
          code: 'batch_out_of_range',
        })
      }),
      300,
    )
  })
})

/** `RandomSampler`, written out: each pass takes its seed from the global stream and swaps its way through. */
function twinOrder(windows: readonly TwinWindow[], seed: bigint, epoch: number): TwinWindow[] {
  const global = new TorchGenerator(seed)
  let samplerSeed = 0n
  for (let pass = 0; pass <= epoch; pass++) {
    global.randint64()
    samplerSeed = global.randint64()
  }
  const generator = new TorchGenerator(samplerSeed)
  const order = [...windows]
  for (let i = 0; i < order.length - 1; i++) {
    const other = i + (generator.random32() % (order.length - i))
    const first = order[i]
    order[i] = order[other]
    order[other] = first
  }
  return order
}

test('no window at all names the tokens there are and the tokens needed', async () => {
  const error = { code: 'no_windows', param: 'context_length' }
  await expect(batchOf([range(4)], { context_length: 4 })).rejects.toMatchObject({
    ...error,
    message:
      '`context_length` 4 needs 5 tokens for a window and its target: `tail` "pad" makes one of fewer, and without `context_length` a document is one. Given: 4 tokens',
  })
  await expect(batchOf([range(2), range(4)], { context_length: 9 })).rejects.toMatchObject({
    ...error,
    message: expect.stringContaining('needs 10 tokens'),
  })
})

test('sizes near 2^53 are arithmetic, not loops', async () => {
  const huge = Number.MAX_SAFE_INTEGER
  const countOf = async (rule: WindowRule) => planWindows(documentsOf([range(9)]), rule).count
  expect(await countOf({ context_length: 4, stride: huge })).toBe(1)
  expect(await countOf({ context_length: huge, stride: huge })).toBe(0)
  expect(await countOf({ context_length: huge, tail: 'pad' })).toBe(1)
})

test('windows are found in any order, whichever was asked for before', async () => {
  await checkProperty(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat(), { minLength: 1, maxLength: 50 }),
      async (lengths, asked) => {
        const lists = lengths.map(range)
        const rule = { context_length: 3, stride: 2 }
        const { windows } = twinWindows(lists, { ...rule, pad_token_id: PAD })
        if (windows.length === 0) return
        const planned = planWindows(documentsOf(lists), rule)
        for (const each of asked) {
          const { document, start } = windows[each % windows.length]!
          expect(planned.locate(each % windows.length)).toEqual({ document, start })
        }
      },
    ),
    300,
  )
})

test('positions go on from block to block, wherever a window is cut', async () => {
  const [T, offset] = [3, 10]
  const { batch } = await batchOf([Array(70_001).fill(1)], { context_length: T, tail: 'pad' })
  const whole = new Int32Array(70_001)
  batch.fill('position_ids', whole, 0, offset)
  expect([...whole.subarray(0, 5)]).toEqual([10, 11, 12, 10, 11])
  for (const first of [1, 2, 3, 65_536]) {
    const part = new Int32Array(100)
    batch.fill('position_ids', part, first, offset)
    expect(part).toEqual(whole.slice(first, first + part.length))
  }
})
