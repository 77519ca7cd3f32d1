import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DatasetFacts,
  datasetAnswer,
  datasetTensors,
  planDatasetTensors,
} from '../../../src/first-layer/datasets/dataset-answer.js'
import { needsModel } from '../../../src/first-layer/datasets/dataset-outputs.js'
import type { DatasetRecipe } from '../../../src/first-layer/datasets/recipe-options.js'
import type { TokenSource } from '../../../src/first-layer/datasets/segments.js'
import type { LayerOptions } from '../../../src/first-layer/options/embedding.js'
import type { NamedTensor } from '../../../src/first-layer/tensors/named-tensor.js'
import { checkProperty } from '../../property.js'
import { corpusFrom, DEFAULTS, windowsBatch, windowsOf } from './corpora.js'
import { bytesOf, seedModel } from './models.js'

const PAD = 9
const SEVERAL = { single: false }
const IDS = ['input_ids', 'target_ids', 'attention_mask', 'position_ids', 'segment_ids', 'cu_seq_lens']
const options: LayerOptions = { dtype: 'float32', ids_dtype: 'int32', position_offset: 0, outputs: IDS }
const recipeOf = (given: Partial<DatasetRecipe>): DatasetRecipe => ({
  ...{ ...DEFAULTS, pad_token_id: PAD },
  ...given,
})

function numbersOf(tensor: NamedTensor): number[] {
  const bytes = bytesOf(tensor)
  const wide = tensor.dtype === 'int64'
  return Array.from({ length: bytes.length / (wide ? 8 : 4) }, (_, i) =>
    wide ? Number(bytes.readBigInt64LE(8 * i)) : bytes.readInt32LE(4 * i),
  )
}

/** The tensors of windows of documents, by plain lists. */
function expectedOf(
  documents: readonly (readonly number[])[],
  windows: ReturnType<typeof windowsOf>,
  chosen: readonly number[],
  recipe: DatasetRecipe,
  offset: number,
) {
  const T = recipe.context_length
  const stream = documents.flat()
  const first = documents.map((_, d) => documents.slice(0, d).flat().length)
  const ids: number[] = []
  const out: Record<string, number[]> = Object.fromEntries(IDS.map((name) => [name, []]))
  out.cu_seq_lens!.push(0)
  for (const [row, window] of chosen.entries()) {
    const segments = windows.segments(window)
    for (const [s, { document, start, length }] of segments.entries()) {
      for (let t = 0; t < length; t++) {
        const place = first[document]! + start + t
        const hasNext =
          recipe.packing === 'concat'
            ? place + 1 < stream.length
            : start + t + 1 < documents[document]!.length
        ids.push(stream[place]!)
        out.target_ids!.push(hasNext ? stream[place + 1]! : -100)
        out.attention_mask!.push(1)
        out.segment_ids!.push(s)
        out.position_ids!.push(offset + t)
      }
      out.cu_seq_lens!.push(ids.length)
    }
    for (let t = 0; ids.length < (row + 1) * T; t++) {
      ids.push(PAD)
      out.target_ids!.push(-100)
      out.attention_mask!.push(0)
      out.segment_ids!.push(-1)
      out.position_ids!.push(offset + t)
    }
    if (out.cu_seq_lens!.at(-1) !== ids.length) out.cu_seq_lens!.push(ids.length)
  }
  return { ...out, input_ids: ids }
}

test('tensors of any windows, in any order, from any source, without a model', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 40 }), { minLength: 1, maxLength: 12 }),
    fc.record({
      context_length: fc.integer({ min: 1, max: 17 }),
      stride: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      tail: fc.constantFrom('drop' as const, 'pad' as const),
      packing: fc.constantFrom('none' as const, 'concat' as const, 'best_fit' as const),
    }),
    fc.array(fc.nat(1000), { maxLength: 90 }),
    fc.constantFrom('int32' as const, 'int64' as const),
    fc.boolean(),
    async (documents, rule, places, idsDtype, isAsync) => {
      const corpus = corpusFrom(documents)
      const recipe = recipeOf(rule)
      const windows = windowsOf(corpus.documents, recipe)
      fc.pre(windows.count > 0)
      const chosen = places.map((place) => place % windows.count)
      const source = isAsync ? laterSource(corpus.source) : corpus.source
      const batch = await windowsBatch({ ...corpus, source }, windows, recipe, chosen).read()
      const facts: DatasetFacts = { recipe, longestDocument: corpus.documents.longest, isMixture: false }
      const asked = { ...options, ids_dtype: idsDtype, position_offset: 3 }
      const tensors = datasetTensors(batch, planDatasetTensors(asked, facts, SEVERAL))
      const made = Object.fromEntries(tensors.map((tensor) => [tensor.name, numbersOf(tensor)]))
      expect(made).toEqual(expectedOf(documents, windows, chosen, recipe, 3))
      expect(tensors.at(-1)!.dtype).toBe('int32') // cu_seq_lens, whatever is asked for
    },
  )
  await checkProperty(property, 300)
})

/** A source that answers later, the last read first. */
function laterSource(source: TokenSource): TokenSource {
  let delay = 64
  return {
    async read(place, out) {
      delay = (delay * 7) % 61
      for (let turn = delay; turn > 0; turn--) await undefined
      source.read(place, out)
    },
  }
}

describe('reads', () => {
  /** Counts reads, and how many are under way at once. */
  function counting(source: TokenSource) {
    const seen = { reads: [] as [place: number, length: number][], most: 0 }
    let underWay = 0
    const counted: TokenSource = {
      async read(place, out) {
        seen.reads.push([place, out.length])
        seen.most = Math.max(seen.most, ++underWay)
        await new Promise((resolve) => setImmediate(resolve))
        underWay--
        source.read(place, out)
      },
    }
    return { seen, counted }
  }
  const corpus = corpusFrom([Array.from({ length: 2001 }, (_, t) => t)])
  const recipe = recipeOf({ context_length: 10 })
  const windows = windowsOf(corpus.documents, recipe)
  const readAll = (source: TokenSource, chosen: readonly number[], rule = recipe) =>
    windowsBatch({ ...corpus, source }, windowsOf(corpus.documents, rule), rule, chosen).read()

  test('of windows side by side are one', async () => {
    const { seen, counted } = counting(corpus.source)
    await readAll(counted, [3, 4, 5, 6, 20, 21, 2])
    expect(seen.reads).toEqual([
      [30, 41],
      [200, 21],
      [20, 11],
    ])
  })

  test('of windows that overlap are one', async () => {
    const { seen, counted } = counting(corpus.source)
    await readAll(counted, [3, 4, 5], recipeOf({ context_length: 10, stride: 2 }))
    expect(seen.reads).toEqual([[6, 15]])
  })

  test('go out together, 64 at a time', async () => {
    const { seen, counted } = counting(corpus.source)
    const every = Array.from({ length: windows.count }, (_, k) => (k * 77) % windows.count)
    await readAll(counted, every)
    expect(seen.reads.length).toBe(windows.count)
    expect(seen.most).toBe(64)
  })

  test('of long stretches are cut', async () => {
    const long = corpusFrom([Array.from({ length: 200_001 }, (_, t) => t % 1000)])
    for (const [contextLength, count] of [
      [200_000, 1],
      [1000, 4],
    ] as const) {
      const rule = recipeOf({ context_length: contextLength })
      const { seen, counted } = counting(long.source)
      const all = windowsOf(long.documents, rule)
      const chosen = Array.from({ length: all.count }, (_, w) => w)
      const batch = await windowsBatch({ ...long, source: counted }, all, rule, chosen).read()
      expect(seen.reads.length).toBe(count)
      if (count > 1) for (const [, length] of seen.reads) expect(length).toBeLessThanOrEqual(65_537)
      const ids = new Int32Array(200_000)
      batch.fill('input_ids', ids, 0)
      expect(ids.every((id, t) => id === t % 1000)).toBe(true)
      batch.fill('target_ids', ids, 0)
      expect(ids.every((id, t) => id === (t + 1) % 1000)).toBe(true)
    }
  })

  test('that fail end the batch with their error, and others that fail after them disturb nobody', async () => {
    const failing: TokenSource = { read: async (place) => Promise.reject(new Error(`no ids at ${place}`)) }
    await expect(readAll(failing, [5, 1, 9])).rejects.toThrow('no ids at 50')
  })

  test('take the memory that they tell beforehand: ids, targets, and what is known of two segments a row', () => {
    expect(windowsBatch(corpus, windows, recipe, [0, 1, 2]).bytes).toBe(3 * (4 * 11 + 2 * 192))
  })

  test('pause between rows, and end with what the pause rejects with', async () => {
    let pauses = 0
    const pace = async () => {
      if (++pauses === 3) throw new Error('nobody waits')
    }
    await expect(windowsBatch(corpus, windows, recipe, [0, 2, 4, 6]).read(pace)).rejects.toThrow(
      'nobody waits',
    )
    expect(pauses).toBe(3)
  })

  test.each(['none', 'concat', 'best_fit'] as const)('%s: padding takes no memory', async (packing) => {
    const few = corpusFrom([[5, 6, 7], [8]])
    const contextLength = 2 ** 30
    const rule = recipeOf({ context_length: contextLength, packing, tail: 'pad', batch_size: 1 })
    const all = windowsOf(few.documents, rule)
    const planned = windowsBatch(few, all, rule, [0])
    expect(planned.bytes).toBeLessThan(1000)
    const out = new Int32Array(6)
    const batch = await planned.read()
    const tokens = packing === 'none' ? [5, 6, 7] : [5, 6, 7, 8]
    batch.fill('input_ids', out, 0)
    expect([...out]).toEqual([...tokens, PAD, PAD, PAD].slice(0, 6))
    batch.fill('input_ids', out, contextLength - 6)
    expect([...out]).toEqual(Array(6).fill(PAD))
    batch.fill('target_ids', out, contextLength - 6)
    expect([...out]).toEqual(Array(6).fill(-100))
    batch.fill('attention_mask', out, 1)
    expect([...out].filter(Boolean)).toHaveLength(tokens.length - 1)
  })
})

describe('outputs', () => {
  const corpus = corpusFrom([Array.from({ length: 30 }, (_, t) => t * 1700), [3, 4, 5]])
  const factsOf = (recipe: DatasetRecipe): DatasetFacts => ({ recipe, longestDocument: 30, isMixture: false })
  const packed = recipeOf({ packing: 'best_fit' })

  test.each([
    [undefined, false],
    [IDS, false],
    [['document_ids', 'window_starts', 'dataset_index'], false],
    [['input_ids', 'token_embeddings'], true],
    [['cos'], true],
  ] as const)('%j need a model: %s', (outputs, needed) => {
    expect(needsModel(outputs)).toBe(needed)
  })

  test.each([
    [{ outputs: undefined }, true, '`outputs` must name exactly one tensor', 'invalid_request', 'outputs'],
    [
      { outputs: ['input_ids', 'target_ids'] },
      true,
      '`outputs` must name exactly one',
      'invalid_request',
      'outputs',
    ],
    [{ outputs: ['segments'] }, false, '`outputs.0` must be one of', 'invalid_request', 'outputs.0'],
    [{ outputs: ['dataset_index'] }, false, 'for mixtures only', 'unsupported_combination', 'outputs'],
    [
      { outputs: ['input_ids'], position_offset: 2 ** 31 - 7 },
      false,
      '`position_offset` + `context_length`',
      'invalid_request',
      'position_offset',
    ],
  ] as const)('%j, one tensor: %s, are refused without a model', (given, single, message, code, param) => {
    const plan = () => planDatasetTensors({ ...options, ...given }, factsOf(packed), { single })
    expect(plan).toThrow(message)
    expect(plan).toThrow(expect.objectContaining({ code, param }))
  })

  test('of rows are refused where ids, or pads, have none', async () => {
    const model = await seedModel()
    const asked = { ...options, outputs: ['token_embeddings'] }
    const rows = { ...recipeOf({ packing: 'concat' }), pad_token_id: 60_000 }
    const plan = (recipe: DatasetRecipe) => planDatasetTensors(asked, factsOf(recipe), SEVERAL, model)
    expect(() => plan({ ...rows, tail: 'pad' })).toThrow('`pad_token_id` must be below `vocab_size` 50257')
    const large = corpusFrom([[1, 2, 50_256, 50_257, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]])
    const windows = windowsOf(large.documents, rows)
    const batchOf = (window: number) => windowsBatch(large, windows, rows, [window]).read()
    expect(datasetAnswer(await batchOf(1), plan(rows), model)).toMatchObject({
      model: 'seed',
      modelVersion: '1',
    })
    const beyond = await batchOf(0)
    const refused = () => datasetAnswer(beyond, plan(rows), model)
    expect(refused).toThrow('The batch’s ids must be below the model’s `vocab_size` 50257. Given: 50257')
    expect(refused).toThrow(expect.objectContaining({ code: 'token_out_of_range' }))
  })

  test('of the rows that are added are refused for packed windows', async () => {
    const model = await seedModel()
    const asked = { ...options, outputs: ['position_embeddings'] }
    expect(() => planDatasetTensors(asked, factsOf(packed), SEVERAL, model)).toThrow(
      '`outputs` must not name position_embeddings under `packing` best_fit',
    )
    const plan = planDatasetTensors(asked, factsOf(recipeOf({})), SEVERAL, model)
    const windows = windowsOf(corpus.documents, recipeOf({}))
    const batch = await windowsBatch(corpus, windows, recipeOf({}), [0]).read()
    expect(datasetTensors(batch, plan, model)[0]!.shape).toEqual([8, 16])
  })

  test('of no rows, where a short last batch leaves a rank nothing', async () => {
    const model = await seedModel()
    const names = [...IDS, 'document_ids', 'input_embeddings']
    const windows = windowsOf(corpus.documents, packed)
    const batch = await windowsBatch(corpus, windows, packed, []).read()
    const plan = planDatasetTensors({ ...options, outputs: names }, factsOf(packed), SEVERAL, model)
    const tensors = datasetTensors(batch, plan, model)
    expect(tensors.map(({ shape }) => shape)).toEqual([
      [0, 8],
      [0, 8],
      [0, 8],
      [0, 8],
      [0, 8],
      [1],
      [0],
      [0, 8, 16],
    ])
    expect(tensors.map((tensor) => bytesOf(tensor).length)).toEqual([0, 0, 0, 0, 0, 4, 0, 0])
  })
})
