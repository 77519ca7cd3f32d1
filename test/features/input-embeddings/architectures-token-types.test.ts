import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { architectures } from '../../../src/first-layer/embeddings/architectures/registry.js'
import { embed, type TestService } from '../../helper.js'
import { closePositionServices, expect200, expectError, positionService } from '../../position-answers.js'

let service: TestService
beforeAll(async () => {
  service = await positionService({ TYPE_VOCAB_SIZE: '3' })
})
afterAll(closePositionServices)

const bert = { architecture: 'bert', outputs: ['input_embeddings'] }
const rows = async (body: object) =>
  expect200(await embed(service, body)).json().outputs.input_embeddings.data

describe('token_type_ids', () => {
  it('are 0 where absent', async () => {
    const ids = { ...bert, input_ids: [[1, 2], [3]], pad_token_id: 0 }
    expect(await rows({ ...ids, token_type_ids: [[0, 0], [0]] })).toEqual(await rows(ids))
    expect(await rows({ ...ids, token_type_ids: [[0, 2], [0]] })).not.toEqual(await rows(ids))
  })

  it('go with their tokens into every window', async () => {
    const input_ids = [1, 2, 3, 4, 5, 6, 7]
    const types = [0, 1, 2, 0, 1, 2, 0]
    const windows = await rows({ ...bert, input_ids, token_type_ids: types, context_length: 4, stride: 1 })
    for (const [start, window] of windows.entries()) {
      const alone = {
        input_ids: input_ids.slice(start, start + 4),
        token_type_ids: types.slice(start, start + 4),
      }
      expect(await rows({ ...bert, ...alone })).toEqual([window])
    }
    expect(windows).toHaveLength(3)
  })

  it('are 0 at padding', async () => {
    const padded = { ...bert, context_length: 4, tail: 'pad', pad_token_id: 9 }
    const short = await rows({ ...padded, input_ids: [1, 2], token_type_ids: [2, 2] })
    const whole = await rows({ ...bert, input_ids: [1, 2, 9, 9], token_type_ids: [2, 2, 0, 0] })
    expect(short).toEqual(whole)
  })

  it('come in the order of a shuffle with their tokens', async () => {
    const input_ids = Array.from({ length: 13 }, (_, i) => i)
    const token_type_ids = input_ids.map((id) => id % 3)
    const all = { ...bert, input_ids, token_type_ids, context_length: 2 }
    const inOrder = await rows(all)
    const shuffled = await rows({ ...all, shuffle: true, seed: 5 })
    expect(shuffled).not.toEqual(inOrder)
    expect(shuffled.map(String).toSorted()).toEqual(inOrder.map(String).toSorted())
  })

  it.each([
    [{ text: '0,0', token_type_ids: [0, 0, 0] }, 'token_type_ids', 'input_ids'],
    [{ input_ids: [1, 2], token_type_ids: [0] }, 'token_type_ids', 'the form of'],
    [{ input_ids: [1, 2], token_type_ids: [[0, 0]] }, 'token_type_ids', 'the form of'],
    [{ input_ids: [[1, 2]], token_type_ids: [0, 0] }, 'token_type_ids', 'the form of'],
    [{ input_ids: [[1, 2], [3]], token_type_ids: [[0], [0, 0]] }, 'token_type_ids', 'the form of'],
    [{ input_ids: [1], token_type_ids: [-1] }, 'token_type_ids.0', 'at least 0'],
    [{ input_ids: [1], token_type_ids: [0.5] }, 'token_type_ids.0', 'integer'],
    [{ input_ids: [1], token_type_ids: 'A' }, 'token_type_ids', 'array'],
    [{ input_ids: [1], token_type_ids: null }, 'token_type_ids', 'array'],
  ])('of another form than input_ids are 400: %j', async (body, param, mention) => {
    const answer = await embed(service, { ...bert, ...body })
    expect(expectError(answer, 400, 'invalid_request', param)).toContain(mention)
  })

  it('without a row in the table are 422, by their place', async () => {
    const one = await embed(service, { ...bert, input_ids: [1, 2], token_type_ids: [0, 3] })
    const message = expectError(one, 422, 'token_out_of_range', 'token_type_ids.1')
    expect(message).toContain('3')
    const many = await embed(service, { ...bert, input_ids: [[1], [2, 4]], token_type_ids: [[0], [1, 7]] })
    expectError(many, 422, 'token_out_of_range', 'token_type_ids.1.1')
  })

  it('empty are 400', async () => {
    const answer = await embed(service, { ...bert, input_ids: [1], token_type_ids: [] })
    expectError(answer, 400, 'empty_input', 'token_type_ids')
  })

  it.each(architectures.filter(({ name }) => name !== 'bert'))('are refused by $name', async ({ name }) => {
    const body = { architecture: name, input_ids: [1], token_type_ids: [0] }
    const message = expectError(await embed(service, body), 400, 'invalid_request', 'token_type_ids')
    expect(message).toContain(name)
  })

  it('are refused without an architecture where the model’s own has none', async () => {
    const answer = await embed(service, { input_ids: [1], token_type_ids: [0] })
    expectError(answer, 400, 'invalid_request', 'token_type_ids')
  })
})

describe('architecture', () => {
  it.each(['gpt5', 'BERT', '', 7, null, {}])(
    '%j is 400, and the message lists what there is',
    async (architecture) => {
      const answer = await embed(service, { input_ids: [1], architecture })
      const message = expectError(answer, 400, 'invalid_request', 'architecture')
      for (const { name } of architectures) expect(message).toContain(name)
    },
  )
})
