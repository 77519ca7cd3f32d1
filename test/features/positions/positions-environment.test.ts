import { afterAll, describe, expect, it } from 'vitest'
import { environmentCard } from '../../../src/models/environment.js'
import { ConfigError } from '../../../src/models/variables.js'
import { readConfig } from '../../../src/service/features.js'
import { embed } from '../../helper.js'
import { closePositionServices, getPositions, positionService } from '../../position-answers.js'

afterAll(closePositionServices)

const ids = { input_ids: [1, 5, 2, 7] }

describe('POSITION_EMBEDDING', () => {
  const json = { type: 'rope', head_dim: 8, scaling: { type: 'linear', factor: 4 } }

  it.each([
    ['alibi', 'alibi'],
    [JSON.stringify(json), json],
    ['{"type":"sinusoidal","layout":"concatenated"}', { type: 'sinusoidal', layout: 'concatenated' }],
    ['none', 'none'],
  ])('%s is what a request without a scheme gets', async (variable, wire) => {
    const service = await positionService({ POSITION_EMBEDDING: variable })
    const plain = await positionService()
    const said = await embed(plain, { ...ids, position_embedding: wire })
    expect((await embed(service, ids)).json()).toEqual(said.json())
    const { position_embedding } = (await service.app.inject('/v1/models/default')).json()
    expect(position_embedding).toBe(typeof wire === 'string' ? wire : wire.type)
    const positions = await getPositions(service, { context_length: 4 })
    expect(positions.status).toBe(wire === 'none' ? 422 : 200)
  })

  it('goes before the architecture’s own scheme; a request goes before both', async () => {
    const service = await positionService({ ARCHITECTURE: 'gemma', POSITION_EMBEDDING: 't5' })
    const names = async (body: object) =>
      Object.keys((await embed(service, { ...ids, ...body })).json().outputs)
    const first = ['input_ids', 'input_embeddings']
    expect(await names({})).toEqual([...first, 'relative_position_bucket', 'position_bias'])
    expect(await names({ position_embedding: 'alibi' })).toEqual([...first, 'alibi_slopes', 'position_bias'])
    // An architecture in the request brings its own scheme.
    expect(await names({ architecture: 'llama' })).toEqual([...first, 'inv_freq', 'cos', 'sin'])
  })

  it.each([
    [{ POSITION_EMBEDDING: 'rotary' }, '(type must be one of none, '],
    [{ POSITION_EMBEDDING: '{"type":"rope"' }, 'or a JSON object'],
    [{ POSITION_EMBEDDING: '{"type":"rope","base":2}' }, '(base is not an option)'],
    [{ POSITION_EMBEDDING: '{"type":"rope","scaling":{"type":"linear","factor":0}}' }, '(scaling.factor '],
    [{ POSITION_EMBEDDING: '{"type":"rope","head_dim":63}' }, 'must be even. Given: 63'],
    [{ POSITION_EMBEDDING: 'sinusoidal', EMBEDDING_DIM: '7' }, 'embedding_dim is odd (7)'],
    [{ ARCHITECTURE: 'transformer_xl', EMBEDDING_DIM: '12' }, 'must divide embedding_dim 12'],
    [{ ARCHITECTURE: 'gpt5' }, 'ARCHITECTURE must be one of gpt2'],
  ])('%j stops the start, and says why', async (env, mention) => {
    const start = (async () =>
      environmentCard(readConfig({ VOCAB_SIZE: '16', EMBEDDING_DIM: '8', ...env })))()
    await expect(start).rejects.toThrow(ConfigError)
    await expect(start).rejects.toThrow(mention)
  })
})
