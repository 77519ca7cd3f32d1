import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { bytePairTokenizer } from '../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { bytePairSpec, tokenizerFile } from '../../first-layer/tokens/byte-pair/files.js'
import { embed, type TestService, testService } from '../../helper.js'

/** More tokens than the 1,024 rows of the position table. */
const IDS = Array.from({ length: 1500 }, (_, i) => i)

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

describe('a document of more tokens than the model has positions for', () => {
  it.each([
    ['input_ids'],
    ['target_ids'],
    ['attention_mask'],
    ['position_ids'],
    ['document_ids'],
    ['window_starts'],
    ['token_embeddings'],
    ['inputs_embeds'],
  ])('has %s, which take no position rows', async (name) => {
    const answer = await embed(service, { input_ids: IDS, outputs: [name] })
    expect(answer.status, answer.body.toString().slice(0, 300)).toBe(200)
    const wide = await embed(service, { input_ids: IDS, outputs: [name], context_length: 1400 })
    expect(wide.status).toBe(200)
  })

  it('gives the rows that shorter documents have', async () => {
    const outputs = ['input_ids', 'token_embeddings']
    const whole = (await embed(service, { input_ids: IDS, outputs })).json().outputs
    const last = (await embed(service, { input_ids: IDS.slice(1200), outputs })).json().outputs
    expect(whole.input_ids.data[0]).toEqual(IDS)
    expect(whole.token_embeddings.data[0].slice(1200)).toEqual(last.token_embeddings.data[0])
  })

  it.each([['input_embeddings'], ['position_embeddings']])(
    'is refused where %s are asked for, with both ways out',
    async (name) => {
      const { error } = (await embed(service, { input_ids: IDS, outputs: ['input_ids', name] })).json()
      expect(error.code).toBe('context_too_long')
      expect(error.message).toMatch(/1024.*1500.*`context_length` for windows.*`truncation`/)
      const wide = await embed(service, { input_ids: IDS, outputs: [name], context_length: 1400 })
      expect(wide.json().error.message).toMatch(/1024.*1400.*shorter `context_length`/)
    },
  )

  test('wrong options of a position scheme are refused whatever is asked for', async () => {
    const position_embedding = { type: 'rope', head_dim: 7 }
    const answer = await embed(service, { input_ids: IDS, outputs: ['input_ids'], position_embedding })
    expect(answer.json().error.param).toBe('position_embedding.head_dim')
  })
})

describe('truncation', () => {
  it('cuts each document to what the positions hold, and counts the rest', async () => {
    const body = { input_ids: [IDS, [5, 6]], truncation: true, outputs: ['input_ids', 'input_embeddings'] }
    const { outputs, ...counts } = (await embed(service, body)).json()
    expect(outputs.input_ids.shape).toEqual([2, 1024])
    expect(outputs.input_ids.data[0]).toEqual(IDS.slice(0, 1024))
    expect(counts).toMatchObject({ num_tokens: 1502, num_truncated_tokens: 476, num_dropped_tokens: 0 })
    const offset = await embed(service, { ...body, position_offset: 24 })
    expect(offset.json().outputs.input_ids.shape).toEqual([2, 1000])
  })

  it('cuts to max_length before the windows are made', async () => {
    const body = {
      ...{ text: 'I had always thought Jack Gisburn rather a cheap genius', context_length: 2 },
      ...{ truncation: true, max_length: 6, outputs: ['input_ids'] },
    }
    const answer = await embed(service, body)
    expect(answer.json()).toMatchObject({ num_tokens: 12, num_truncated_tokens: 6, num_dropped_tokens: 1 })
    expect(answer.json().outputs.input_ids.data).toEqual([
      [40, 550],
      [1464, 1807],
    ])
    const npy = await embed(service, body, { accept: 'application/x-npy' })
    expect(npy.headers['x-num-truncated-tokens']).toBe('6')
  })

  it('counts nothing where it is not asked for, and 0 where nothing is cut', async () => {
    expect((await embed(service, { input_ids: [1] })).json()).not.toHaveProperty('num_truncated_tokens')
    const short = await embed(service, { input_ids: [1], truncation: true })
    expect(short.json().num_truncated_tokens).toBe(0)
  })

  test('max_length alone is refused: windows have context_length', async () => {
    const { error } = (await embed(service, { input_ids: IDS, max_length: 4 })).json()
    expect([error.code, error.param]).toEqual(['invalid_request', 'max_length'])
    expect(error.message).toMatch(/`truncation`.*`context_length`/)
  })

  it('keeps the special tokens that close a text', async () => {
    const roberta = await bytePairTokenizer(bytePairSpec(tokenizerFile('roberta')))
    const other = await testService({}, { encoding: () => roberta })
    const body = { text: 'one two three four five', add_special_tokens: true, outputs: ['input_ids'] }
    const row = async (fields: object) =>
      (await embed(other, { ...body, ...fields })).json().outputs.input_ids.data[0] as number[]
    const whole = await row({})
    expect(await row({ truncation: true, max_length: 4 })).toEqual([...whole.slice(0, 3), whole.at(-1)])
    await other.close()
  })
})
