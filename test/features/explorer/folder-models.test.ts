import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenRows } from '../../../src/features/explorer/page/answer.js'
import { loadAnswer } from '../../../src/features/explorer/page/load.js'
import type { Recipe } from '../../../src/features/explorer/page/recipe.js'
import { folderEntries } from '../../../src/models/folders.js'
import { type TestService, testService } from '../../helper.js'
import { injectedClient } from './injected.js'

const recipe: Recipe = { text: '1 2 3 2', documents: 'ids', batch_size: 8, batch_index: 0 }

const GOLDENS = new URL('../../goldens/models/', import.meta.url)

let service: TestService
beforeAll(async () => {
  const folders = await folderEntries({ MODELS_DIR: GOLDENS.pathname, MODELS: undefined }, () => {})
  service = await testService({}, { folders })
})
afterAll(() => service.close())

/** The page's view of a model, and the paths that it called. */
async function load(model: string) {
  const paths: string[] = []
  return { answer: await loadAnswer(injectedClient(service, paths), { ...recipe, model }), paths }
}

describe('a model from a folder', () => {
  it('without a tokenizer is shown by its ids; the page asks for none of their texts', async () => {
    const { answer, paths } = await load('bert')
    expect(answer.documents[0]).toMatchObject({
      bytes: new TextEncoder().encode('#1#2#3#2'),
      isNumbers: true,
    })
    expect(paths).not.toContain('/v1/detokenize')
  })

  it.each([
    ['opt-350m-shape', { tokenChannels: 16, positionChannels: 32, channels: 32 }],
    ['electra-small-shape', { tokenChannels: 16, positionChannels: 16, channels: 32 }],
    ['albert', { tokenChannels: 8, positionChannels: 8, channels: 32 }],
    ['llama', { tokenChannels: 32, positionChannels: 0, channels: 32 }],
  ])('that projects its rows has each tensor at its own width: %s', async (model, widths) => {
    const { answer } = await load(model)
    expect(answer.rows).toMatchObject(widths)
    expect(answer.rows.token.length).toBe(4 * widths.tokenChannels)
    expect(answer.rows.sum.length).toBe(4 * widths.channels)
    expect(tokenRows(answer).map(({ row }) => row.length)).toEqual(Array(3).fill(widths.tokenChannels))
  })

  it.each([
    ['gemma', 'rope'],
    ['t5', 't5'],
    ['bloom', 'alibi'],
    ['xlnet', 'transformer_xl'],
    ['deberta-v2', 'deberta'],
  ])('has its own scheme: %s has %s', async (model, type) => {
    const { answer } = await load(model)
    expect(answer.positions?.type).toBe(type)
  })
})
