import { beforeAll, describe, expect, test } from 'vitest'
import { type DatasetFacts, planDatasetTensors } from '../../../src/first-layer/datasets/dataset-answer.js'
import type { DatasetRecipe } from '../../../src/first-layer/datasets/recipe-options.js'
import type { Model } from '../../../src/first-layer/embeddings/model.js'
import type { LayerOptions } from '../../../src/first-layer/options/embedding.js'
import { seedModel } from './models.js'

const SEVERAL = { single: false }

const options = (given: Partial<LayerOptions> = {}): LayerOptions => ({
  ...{ dtype: 'float32', ids_dtype: 'int64', position_offset: 0 },
  ...given,
})

const facts = (recipe: Partial<DatasetRecipe> = {}, longestDocument = 40): DatasetFacts => ({
  recipe: {
    ...{ context_length: 512, stride: 512, tail: 'drop', packing: 'none', long_documents: 'split' },
    ...{ pad_token_id: 0, batch_size: 2 },
    ...recipe,
  } as DatasetRecipe,
  longestDocument,
  isMixture: false,
})

/** The error of a plan. */
function errorOf(plan: () => unknown): unknown {
  try {
    plan()
  } catch (error) {
    return error
  }
  return undefined
}

describe('ids without a model', () => {
  test('are planned without a layer, in a format for one tensor too', () => {
    const asked = options({ outputs: ['input_ids'] })
    for (const format of [SEVERAL, { single: true }, { single: true, refuses: () => undefined }]) {
      expect(planDatasetTensors(asked, facts(), format)).toEqual({
        ...{ outputs: ['input_ids'], dtype: 'float32', ids_dtype: 'int64', position_offset: 0 },
        ...{ canPad: false, numPositions: 512 },
      })
    }
  })

  test('are refused where the format cannot carry their type, and only there', () => {
    const refused: unknown[] = []
    const refuses = (tensor: unknown) => {
      refused.push(tensor)
      return 'no int64'
    }
    const plan = (single: boolean) =>
      planDatasetTensors(options({ outputs: ['input_ids'] }), facts(), { single, refuses })
    expect(errorOf(() => plan(true))).toMatchObject({
      ...{ code: 'unsupported_combination', param: 'dtype', message: 'no int64' },
    })
    expect(refused).toEqual([{ name: 'input_ids', dtype: 'int64' }])
    expect(errorOf(() => plan(false))).toBeUndefined()
  })

  test('are refused where their positions leave int32', () => {
    const plan = (position_offset: number) =>
      planDatasetTensors(options({ outputs: ['position_ids'], position_offset }), facts(), SEVERAL)
    expect(plan(2 ** 31 - 512).position_offset).toBe(2 ** 31 - 512)
    expect(errorOf(() => plan(2 ** 31 - 511))).toMatchObject({ param: 'position_offset' })
  })
})

describe('with a model', () => {
  let model: Model
  beforeAll(async () => {
    model = await seedModel()
  })
  const plan = (outputs: string[], recipe: Partial<DatasetRecipe>, longest?: number) =>
    planDatasetTensors(options({ outputs }), facts(recipe, longest), SEVERAL, model)

  test.each([
    ['none', 40, 512],
    ['concat', 40, 40],
    ['concat', 9000, 512],
    ['concat', 0, 1],
  ] as const)('%s of documents of at most %d tokens has %d positions', (packing, longest, expected) => {
    expect(plan(['input_embeddings'], { packing }, longest).numPositions).toBe(expected)
  })

  test('the rows of a window’s positions are not those of a packed one', () => {
    expect(plan(['position_embeddings'], {}).outputs).toEqual(['position_embeddings'])
    expect(plan(['input_embeddings'], { packing: 'concat' }).outputs).toEqual(['input_embeddings'])
    expect(errorOf(() => plan(['position_embeddings'], { packing: 'concat' }))).toMatchObject({
      ...{ code: 'unsupported_combination', param: 'outputs' },
    })
  })

  test('a pad without a row is refused where windows may be padded and rows are asked for', () => {
    const padTokenId = model.spec.vocabSize
    expect(
      errorOf(() => plan(['input_embeddings'], { tail: 'pad', pad_token_id: padTokenId })),
    ).toMatchObject({
      ...{ code: 'token_out_of_range', param: 'pad_token_id' },
    })
    expect(plan(['input_embeddings'], { pad_token_id: padTokenId }).canPad).toBe(false)
    expect(plan(['input_ids'], { tail: 'pad', pad_token_id: padTokenId }).canPad).toBe(true)
  })
})
