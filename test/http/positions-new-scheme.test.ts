import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { schemas } from '../../src/openapi/schemas.js'
import { decodeFloats, decodeSafetensors, floats, MEDIA_TYPES } from '../decode.js'
import { embed, type TestService } from '../helper.js'
import { closePositionServices, expectError, getPositions, positionService } from './position-answers.js'

vi.mock('../../src/first-layer/embeddings/positions/registry.js', async (original) => {
  const { positionSchemes } =
    await original<typeof import('../../src/first-layer/embeddings/positions/registry.js')>()
  const { parity } = await import('./parity-scheme.js')
  return { positionSchemes: [...positionSchemes, parity] }
})

let service: TestService
beforeAll(async () => {
  service = await positionService()
})
afterAll(closePositionServices)

const window = { input_ids: [0, 1, 2], position_offset: 1 }
const wire = { type: 'parity', step: 3, scale: 0.5 }

describe('a new scheme', () => {
  it('is served beside a text as soon as the registry has it', async () => {
    const outputs = ['input_embeddings', 'token_embeddings', 'position_embeddings', 'parity_index']
    const answer = await embed(service, { ...window, position_embedding: wire, outputs })
    const { outputs: tensors, metadata } = answer.json()
    expect(metadata).toEqual({ step: '3' })
    expect(tensors.parity_index).toEqual({ dtype: 'int32', shape: [3], data: [1, 2, 0] })
    expect(tensors.position_embeddings.data).toEqual([0.5, 1, 0].map((value) => new Array(8).fill(value)))
    const { token_embeddings, position_embeddings, input_embeddings } = decodeFloats(answer)
    const positions = floats(position_embeddings)
    const sums = floats(token_embeddings).map((value, i) => value + positions[i])
    expect(floats(input_embeddings)).toEqual(sums)
  })

  it('is served alone, from a query string, in other formats and types', async () => {
    const query = { positionEmbedding: wire, context_length: 3, position_offset: 1 }
    const json = decodeFloats(await getPositions(service, query))
    const file = await getPositions(service, query, { accept: MEDIA_TYPES.safetensors })
    expect(decodeSafetensors(file.body)).toMatchObject({ tensors: json, metadata: { step: '3' } })
    const narrow = await getPositions(service, { ...query, dtype: 'float16' })
    const { position_embeddings, parity_index } = narrow.json().outputs
    expect([position_embeddings.dtype, parity_index.dtype]).toEqual(['float16', 'int32'])
  })

  it('has its options and outputs refused by their names', async () => {
    const wrong = { ...window, position_embedding: { ...wire, step: 0 } }
    expectError(await embed(service, wrong), 400, 'invalid_request', 'position_embedding.step')
    const long = { ...window, position_embedding: { ...wire, step: 101 } }
    expectError(await embed(service, long), 400, 'invalid_request', 'position_embedding.step')
    const other = { ...window, position_embedding: 'rope', outputs: ['parity_index'] }
    expectError(await embed(service, other), 422, 'unsupported_combination', 'outputs')
  })

  it('is in the document of the API', () => {
    expect(JSON.stringify(schemas())).toContain('[T] `parity`: Position modulo step.')
    expect(JSON.stringify(schemas())).toContain('"const":"parity"')
  })
})
