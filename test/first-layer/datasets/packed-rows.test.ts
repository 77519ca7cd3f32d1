import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  type DatasetFacts,
  datasetAnswer,
  planDatasetTensors,
} from '../../../src/first-layer/datasets/dataset-answer.js'
import type { DatasetRecipe } from '../../../src/first-layer/datasets/recipe-options.js'
import type { Segment } from '../../../src/first-layer/datasets/segments.js'
import type { Model } from '../../../src/first-layer/embeddings/model.js'
import { readPositionEmbedding } from '../../../src/first-layer/embeddings/positions/position-option.js'
import { inputEmbeddings } from '../../../src/first-layer/input-embedding.js'
import type { LayerOptions } from '../../../src/first-layer/options/embedding.js'
import { embedOptions } from '../../../src/first-layer/options/embedding.js'
import { type FloatDtype, ITEM_BYTES } from '../../../src/first-layer/tensors/named-tensor.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { Documents } from '../../../src/first-layer/windows/documents.js'
import { type Corpus, corpusFrom, DEFAULTS, windowsBatch, windowsOf } from './corpora.js'
import { bytesOf, folderModel, seedModel } from './models.js'

const FOLDERS = fileURLToPath(new URL('../../goldens/models/', import.meta.url))
const SEVERAL = { single: false }
const options = (dtype: FloatDtype, given: Partial<LayerOptions> = {}): LayerOptions => ({
  ...{ dtype, ids_dtype: 'int32', position_offset: 0, outputs: ['input_embeddings'] },
  ...given,
})

/** Documents of 1 … 40 ids, pads' ids among them. */
function corpusBelow(vocabSize: number): Corpus {
  return corpusFrom(
    Array.from({ length: 22 }, (_, d) =>
      Array.from({ length: 1 + ((d * 17) % 40) }, (_, t) => (d * 31 + t * t * 7) % vocabSize),
    ),
  )
}

/** The input embeddings of all windows under a recipe, and those of each of their segments as a document alone. */
async function bothWays(model: Model, corpus: Corpus, recipe: DatasetRecipe, asked: LayerOptions) {
  const windows = windowsOf(corpus.documents, recipe)
  const all = Array.from({ length: windows.count }, (_, w) => w)
  const facts: DatasetFacts = { recipe, longestDocument: corpus.documents.longest, isMixture: false }
  const request = planDatasetTensors(asked, facts, SEVERAL, model)
  const batch = await windowsBatch(corpus, windows, recipe, all).read()
  const packed = bytesOf(datasetAnswer(batch, request, model).tensors[0]!)
  const rowBytes = model.spec.hiddenSize * ITEM_BYTES[asked.dtype]
  const alone = async ({ document, start, length }: Segment) => {
    const ids = new Int32Array(length)
    corpus.source.read(corpus.documents.start(document) + start, ids)
    const options = embedOptions.parse({
      dtype: asked.dtype,
      position_offset: asked.position_offset,
      outputs: ['input_embeddings'],
    })
    const plan = { ...request.layer!, options, single: false, truncation: undefined }
    const one = Documents.of(TokenBuffer.of([...ids]))
    const answer = await inputEmbeddings(model, one, plan)
    return bytesOf(answer.tensors[0]!)
  }
  const segments = all.flatMap((w) => {
    let at = w * recipe.context_length
    return windows.segments(w).map(async (segment) => {
      const from = at * rowBytes
      at += segment.length
      return { packed: packed.subarray(from, at * rowBytes), alone: await alone(segment) }
    })
  })
  return Promise.all(segments)
}

function expectEqual(segments: Awaited<ReturnType<typeof bothWays>>): void {
  expect(segments.length).toBeGreaterThan(20)
  const different = segments.findIndex(({ packed, alone }) => !packed.equals(alone))
  expect(different).toBe(-1)
}

const PACKINGS = ['concat', 'best_fit'] as const
const recipeOf = (packing: (typeof PACKINGS)[number], contextLength: number): DatasetRecipe => ({
  ...DEFAULTS,
  ...{ packing, context_length: contextLength, tail: 'pad', pad_token_id: 1, batch_size: 4 },
})

describe('rows of windows are those of each document alone, to the bit', () => {
  test.each(readdirSync(FOLDERS))('%s', async (name) => {
    const model = await folderModel(`${FOLDERS}${name}`)
    const corpus = corpusBelow(model.spec.vocabSize)
    for (const packing of PACKINGS) {
      const other = packing === 'concat' ? 'float32' : 'bfloat16'
      for (const dtype of new Set([other, model.spec.dtype] as const))
        expectEqual(await bothWays(model, corpus, recipeOf(packing, 24), options(dtype)))
    }
  })

  test.each([
    'none',
    'learned_absolute',
    'sinusoidal',
    { type: 'sinusoidal', variant: 'tensor2tensor', precision: 'float32' },
    'rope',
    't5',
  ])('scheme %j', async (scheme) => {
    const model = await seedModel({ vocab_size: 1000 })
    const corpus = corpusBelow(model.spec.vocabSize)
    for (const architecture of ['gpt2', 'bert', 'transformer']) {
      const given = { architecture, position_embedding: readPositionEmbedding(scheme), position_offset: 5 }
      for (const packing of PACKINGS)
        for (const dtype of ['float32', 'float16'] as const)
          expectEqual(await bothWays(model, corpus, recipeOf(packing, 64), options(dtype, given)))
    }
  })

  test.each(PACKINGS)('computed rows of windows too large to be kept, %s', async (packing) => {
    const model = await seedModel({ embedding_dim: 2048, vocab_size: 300 })
    const lengths = [...Array.from({ length: 24 }, (_, d) => 20 + d), 2100]
    const documents = lengths.map((length, d) => Array.from({ length }, (_, t) => (t + d) % 300))
    const given = { position_embedding: readPositionEmbedding('sinusoidal') }
    expectEqual(
      await bothWays(model, corpusFrom(documents), recipeOf(packing, 2100), options('float32', given)),
    )
  })
})

test('windows longer than the model has positions hold documents that are not', async () => {
  const model = await seedModel({ max_position_embeddings: 40 })
  const corpus = corpusBelow(model.spec.vocabSize)
  expectEqual(await bothWays(model, corpus, recipeOf('best_fit', 200), options('float32')))
  const long = corpusFrom([Array.from({ length: 41 }, (_, t) => t)])
  await expect(bothWays(model, long, recipeOf('best_fit', 200), options('float32'))).rejects.toThrow(
    '`position_offset` + `context_length` must be at most `max_position_embeddings` 40. Given: 0 + 41 = 41',
  )
})
