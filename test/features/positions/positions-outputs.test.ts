import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { embed, type TestService } from '../../helper.js'
import { closePositionServices, expectError, getPositions, positionService } from '../../position-answers.js'

let service: TestService
beforeAll(async () => {
  service = await positionService()
})
afterAll(closePositionServices)

const window = { input_ids: [0, 1, 2, 3] }

describe('outputs', () => {
  const all = [...new Set(positionSchemes.flatMap(({ tensorNames }) => tensorNames))]

  it.each(positionSchemes)('that $type does not give are 422', async ({ type, tensorNames }) => {
    for (const name of all.filter((each) => !tensorNames.includes(each))) {
      const body = { ...window, position_embedding: type, outputs: ['input_ids', name] }
      const message = expectError(await embed(service, body), 422, 'unsupported_combination', 'outputs')
      expect(message).toContain(type)
      expect(message).toContain(`Given: ${name}`)
      const query = { positionEmbedding: { type }, context_length: 4, outputs: name }
      const param = tensorNames.length === 0 ? 'position_embedding' : 'outputs'
      expectError(await getPositions(service, query), 422, 'unsupported_combination', param)
    }
  })

  it('wrong in themselves are 400, even beside what the model does not allow', async () => {
    const body = { ...window, position_offset: 5000, context_length: 2, outputs: ['cosine'] }
    expectError(await embed(service, body), 400, 'invalid_request', 'outputs.0')
    const odd = {
      ...window,
      context_length: 2,
      position_embedding: { type: 'rope', head_dim: 7 },
      outputs: ['position_bias'],
    }
    expectError(await embed(service, odd), 400, 'invalid_request', 'position_embedding.head_dim')
    const query = {
      positionEmbedding: { type: 'rope', head_dim: 7 },
      context_length: 2,
      outputs: 'position_bias',
    }
    expectError(await getPositions(service, query), 400, 'invalid_request', 'position_embedding.head_dim')
  })
})
