import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Architecture, Model, ModelList } from '../../../clients/typescript/src/index.js'
import { batchOf, placeIn, repeated, tailsOf } from '../../../src/features/explorer/page/answer.js'
import type { Calls } from '../../../src/features/explorer/page/calls.js'
import { loadAnswer } from '../../../src/features/explorer/page/load.js'
import {
  ARCHITECTURES,
  positionOf,
  presets,
  type Recipe,
  SCHEMES,
} from '../../../src/features/explorer/page/recipe.js'
import { architectures } from '../../../src/first-layer/embeddings/architectures/registry.js'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { embed, type TestService, testService } from '../../helper.js'
import { injectedClient, modelIn } from './injected.js'

let service: TestService
let client: Calls
let models: ModelList['data']
beforeAll(async () => {
  service = await testService()
  client = injectedClient(service)
  models = (await client.models()).data
})
afterAll(() => service.close())

const load = (recipe: Recipe) => loadAnswer(client, recipe, modelIn(models))
const cat = presets[0].recipe

describe('the cards', () => {
  it('is what the recipe’s own call gives', async () => {
    const recipe: Recipe = { ...presets[2].recipe, stride: 3, batch_index: 2, position_offset: 5 }
    const { rows, batch, counts } = await load(recipe)
    const { documents: _, ...call } = recipe
    const outputs = ['input_ids', 'target_ids', 'token_embeddings', 'input_embeddings', 'position_embeddings']
    const answer = (await embed(service, { ...call, outputs })).json()
    const flat = (name: string) => answer.outputs[name].data.flat(2)
    expect([...batch.ids]).toEqual(flat('input_ids'))
    expect([...batch.targets]).toEqual(flat('target_ids'))
    expect([...rows.token]).toEqual(flat('token_embeddings').map(Math.fround))
    expect([...rows.sum]).toEqual(flat('input_embeddings').map(Math.fround))
    expect([...(rows.position ?? [])]).toEqual(flat('position_embeddings').map(Math.fround))
    expect(counts.windows).toBe(answer.num_windows)
  })

  it.each(positionSchemes)('offers options of $type with the interface’s defaults', ({ type, options }) => {
    for (const { name, standard } of SCHEMES[type as 'rope']) {
      const { rule, fallback } = options[name]
      const values = rule.kind === 'choice' ? rule.values : rule.kind === 'boolean' ? ['true', 'false'] : []
      if (typeof standard === 'number') expect(standard, name).toBe(fallback ?? 0)
      else
        expect(standard, name).toEqual([
          String(fallback),
          ...[...values].filter((each: string) => each !== String(fallback)),
        ])
    }
  })

  it('offers all position schemes', () => {
    expect(Object.keys(SCHEMES).toSorted()).toEqual(positionSchemes.map(({ type }) => type).toSorted())
  })

  it.each(Object.keys(SCHEMES))('has the tensors of %s', async (type) => {
    const answer = await load({ ...cat, position_embedding: { type: type as 'rope' } })
    expect(answer.positions === undefined).toBe(type === 'none')
    expect(answer.rows.position !== undefined).toBe(type === 'learned_absolute' || type === 'sinusoidal')
  })

  it.each(architectures)('has the scheme that comes with $name', async ({ name, positionEmbedding: own }) => {
    const scheme = typeof own === 'string' ? { type: own } : own
    expect(ARCHITECTURES[name as Architecture]).toEqual(scheme)
    const { positions, rows } = await load({ ...cat, architecture: name as Architecture })
    const { outputs } = (await embed(service, { text: 'a cat', architecture: name })).json()
    const ofScheme = Object.keys(outputs).filter(
      (each) => each !== 'input_ids' && each !== 'input_embeddings',
    )
    expect(positions?.type).toBe(scheme.type)
    expect(Object.keys(positions?.tensors ?? {})).toEqual(
      rows.position === undefined ? ofScheme : ['position_embeddings'],
    )
  })

  it('keeps the scheme of a recipe, and of a model from a folder, whatever its architecture is called', () => {
    const recipe: Recipe = { ...cat, architecture: 'gemma' }
    const [own] = models
    const ofFolder = { ...own, tables: { source: 'folder' as const, files: [] } }
    expect(positionOf(recipe, own)).toEqual({ type: 'rope' })
    expect(positionOf(recipe, ofFolder as Model)).toBeUndefined()
    expect(positionOf({ ...recipe, position_embedding: { type: 'alibi' } }, own)).toEqual({ type: 'alibi' })
  })

  it('takes ids as they are, with the text of each', async () => {
    const { documents, batch } = await load({ ...cat, text: '464, 3797 3332', documents: 'ids' })
    expect(documents[0].text).toBe('The cat sat')
    expect([...batch.ids]).toEqual([464, 3797, 3332])
    expect([...documents[0].starts]).toEqual([0, 3, 7, 11])
  })

  it('rejects with the service’s own error and its field', async () => {
    const recipe: Recipe = { ...cat, context_length: -1 }
    await expect(load(recipe)).rejects.toMatchObject({ status: 400, param: 'context_length' })
    await expect(load({ ...cat, text: '1 x', documents: 'ids' })).rejects.toMatchObject({
      param: 'input_ids.1',
    })
  })

  it('counts the tokens of no window as the service does', async () => {
    const recipe: Recipe = {
      text: 'a b c d e f g h i j\na b\nk l m n o p',
      documents: 'lines',
      context_length: 4,
      batch_size: 8,
      batch_index: 0,
    }
    const answer = await load(recipe)
    const dropped = tailsOf(answer).reduce((sum, { from, to }) => sum + to - from, 0)
    expect(dropped).toBe(answer.counts.droppedTokens)
    expect(dropped).toBeGreaterThan(0)
  })
})

describe('places', () => {
  it('lead from a token to its window, and to the batch that has it', async () => {
    const answer = await load({ ...presets[2].recipe, batch_size: 2 })
    expect(placeIn(answer.batch, 0, 5)).toEqual({ window: 1, place: 1 })
    expect(placeIn(answer.batch, 0, 9)).toBeUndefined()
    expect(batchOf(answer, 0, 9)).toBe(1)
  })

  it('finds the words that stand at two places', async () => {
    const answer = await load(cat)
    const places = repeated(answer).get(3797)
    expect(places?.map(({ window, place }) => [window, place])).toEqual([
      [0, 1],
      [1, 4],
    ])
  })
})
