import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Inlet } from '../../../clients/typescript/src/index.js'
import { batchOf, positionIn, repeated, tailsOf } from '../../../src/features/explorer/page/answer.js'
import { loadAnswer } from '../../../src/features/explorer/page/load.js'
import { presets, type Recipe } from '../../../src/features/explorer/page/recipe.js'
import type { PositionType } from '../../../src/features/explorer/page/schemes.js'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { embed, type TestService, testService } from '../../helper.js'
import { injectedClient } from './injected.js'

let service: TestService
let client: Inlet
beforeAll(async () => {
  service = await testService()
  client = injectedClient(service)
})
afterAll(() => service.close())

const load = (recipe: Recipe) => loadAnswer(client, recipe)
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
    expect(counts.num_windows).toBe(answer.num_windows)
  })

  it.each(positionSchemes)(
    'has the tensors of $type, with those to draw',
    async ({ type, added, picture }) => {
      const answer = await load({ ...cat, position_embedding: type as PositionType })
      expect(answer.positions?.type).toBe(type === 'none' ? undefined : type)
      expect(answer.rows.position !== undefined).toBe(added !== undefined)
      const [, ...drawn] = picture
      expect(Object.keys(answer.positions?.tensors ?? {})).toEqual(expect.arrayContaining(drawn))
    },
  )

  it('shuffles with a seed as the service does', async () => {
    const recipe: Recipe = { ...presets[2].recipe, seed: 7 }
    const { text, context_length } = recipe
    const call = { text, context_length, batch_size: 8, batch_index: 0, shuffle: true, seed: 7 }
    const { outputs } = (await embed(service, { ...call, outputs: ['input_ids'] })).json()
    expect([...(await load(recipe)).batch.ids]).toEqual(outputs.input_ids.data.flat())
  })

  it('takes ids as they are, with the text of each', async () => {
    const { documents, batch } = await load({ ...cat, text: '464, 3797 3332', documents: 'ids' })
    expect(Buffer.from(documents[0].bytes).toString()).toBe('The cat sat')
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

  it('rejects more positions than the table has rows, in every view of them, as the recipe’s own call', async () => {
    const recipe: Recipe = { ...cat, context_length: 2000, tail: 'pad' }
    const call = { text: 'The cat', context_length: 2000, tail: 'pad' }
    const { error } = (await embed(service, call)).json()
    await expect(load(recipe)).rejects.toMatchObject({ message: error.message, param: 'context_length' })
    await expect(load({ ...recipe, context_length: 1024, position_offset: 1 })).rejects.toMatchObject({
      status: 422,
    })
    expect((await load({ ...recipe, position_embedding: 'sinusoidal' })).batch.length).toBe(2000)
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
    expect(dropped).toBe(answer.counts.num_dropped_tokens)
    expect(dropped).toBeGreaterThan(0)
  })
})

describe('positions', () => {
  it('lead from a token to its window, and to the batch that has it', async () => {
    const answer = await load({ ...presets[2].recipe, batch_size: 2 })
    expect(positionIn(answer.batch, 0, 5)).toEqual({ window: 1, position: 1 })
    expect(positionIn(answer.batch, 0, 9)).toBeUndefined()
    expect(batchOf(answer, 0, 9)).toBe(1)
  })

  it('finds the words that stand at two positions', async () => {
    const answer = await load(cat)
    expect(
      repeated(answer)
        .get(3797)
        ?.map(({ position }) => position),
    ).toEqual([1, 4])
  })
})
