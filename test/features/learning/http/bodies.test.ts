import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManagedService, managedService } from '../../../managed.js'
import { type FileTensor, rawFile, tableFile } from '../../../table-files.js'
import { bytesOf, onesFor, Trainer } from './trainer.js'

let service: ManagedService
let trainer: Trainer
let normed: Trainer
beforeAll(async () => {
  service = await managedService()
  trainer = new Trainer(service.app, 'small')
  await trainer.send('PUT', '', { vocab_size: 6, embedding_dim: 2, max_position_embeddings: 4 })
  await trainer.begin({ type: 'sgd', lr: 1 })
  normed = new Trainer(service.app, 'normed')
  await normed.send('PUT', '', { vocab_size: 6, embedding_dim: 2, architecture: 'bert' })
  await normed.begin({ type: 'sgd', lr: 1 })
})
afterAll(() => service.close())

const ids = (...values: number[]): FileTensor => ({
  shape: [1, values.length],
  dtype: 'I32',
  bytes: bytesOf(Int32Array.from(values)),
})
const row = { shape: [1, 1, 2], numbers: [1, 2] }

describe('gradients that are refused name what is wrong, and nothing is added', () => {
  test.each<[string, Record<string, FileTensor>, string, string, string?]>([
    ['none', {}, 'invalid_request', 'gradients'],
    ['no ids', { gradients: row }, 'invalid_request', 'input_ids'],
    [
      'two axes',
      { gradients: { shape: [1, 2], numbers: [1, 2] }, input_ids: ids(1) },
      'invalid_request',
      'gradients',
    ],
    [
      'another width',
      { gradients: { shape: [1, 1, 3], numbers: [1, 2, 3] }, input_ids: ids(1) },
      'invalid_request',
      'gradients',
    ],
    [
      'no rows',
      {
        gradients: { shape: [0, 1, 2], numbers: [] },
        input_ids: { shape: [0, 1], dtype: 'I32', bytes: Buffer.alloc(0) },
      },
      'invalid_request',
      'gradients',
    ],
    [
      'integers',
      { gradients: { shape: [1, 1, 2], dtype: 'I32', bytes: Buffer.alloc(8) }, input_ids: ids(1) },
      'invalid_request',
      'gradients',
    ],
    [
      'ids of 64 bits',
      { gradients: row, input_ids: { shape: [1, 1], dtype: 'I64', bytes: Buffer.alloc(8) } },
      'invalid_request',
      'input_ids',
    ],
    ['ids of another shape', { gradients: row, input_ids: ids(1, 2) }, 'invalid_request', 'input_ids'],
    [
      'a mask of another shape',
      { gradients: row, input_ids: ids(1), attention_mask: ids(1, 1) },
      'invalid_request',
      'attention_mask',
    ],
    ['an unknown tensor', { gradients: row, input_ids: ids(1), labels: ids(1) }, 'invalid_request', 'labels'],
    ['both kinds', { gradients: row, input_ids: ids(1), token_ids: ids(1) }, 'invalid_request', 'token_ids'],
    ['an id beyond', { gradients: row, input_ids: ids(6) }, 'token_out_of_range', 'input_ids.0.0'],
    ['an id below 0', { gradients: row, input_ids: ids(-1) }, 'token_out_of_range', 'input_ids.0.0'],
    [
      'a position beyond',
      { gradients: row, input_ids: ids(1), position_ids: ids(4) },
      'context_too_long',
      'position_ids.0.0',
    ],
    [
      'an offset beyond',
      { gradients: row, input_ids: ids(1) },
      'context_too_long',
      'position_offset',
      'position_offset=4',
    ],
    [
      'an offset beside positions',
      { gradients: row, input_ids: ids(1), position_ids: ids(1) },
      'invalid_request',
      'position_offset',
      'position_offset=1',
    ],
    [
      'an offset that is none',
      { gradients: row, input_ids: ids(1) },
      'invalid_request',
      'position_offset',
      'position_offset=-1',
    ],
    ['an unknown field', { gradients: row, input_ids: ids(1) }, 'invalid_request', 'offset', 'offset=1'],
    [
      'infinity',
      { gradients: { shape: [1, 1, 2], numbers: [1, Number.POSITIVE_INFINITY] }, input_ids: ids(1) },
      'not_finite',
      'gradients.0.0.1',
    ],
    [
      'token gradients without ids',
      { token_gradients: { shape: [1, 2], numbers: [1, 2] } },
      'invalid_request',
      'token_ids',
    ],
    [
      'positions without gradients',
      { position_ids: { ...ids(1), shape: [1] } },
      'invalid_request',
      'position_gradients',
    ],
  ])('%s', async (_, tensors, code, param, query) => {
    const before = (await trainer.send('GET', 'optimizer')).body
    const { body } = await trainer.gradients(tensors, { query })
    expect(body.error).toMatchObject({ code, param })
    expect(body.error.message).toContain(`\`${param.split('.')[0]}`)
    expect((await trainer.send('GET', 'optimizer')).body).toEqual(before)
  })

  test.each([
    ['no safetensors', Buffer.from('not a file')],
    ['cut off', tableFile(onesFor([1], 2)).subarray(0, -1)],
    ['too long', Buffer.concat([tableFile(onesFor([1], 2)), Buffer.alloc(1)])],
    ['a header that is no JSON', rawFile('{"gradients":', Buffer.alloc(8))],
  ])('a body that is %s', async (_, body) => {
    const answer = await trainer.gradients(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('invalid_request')
    expect((await trainer.send('GET', 'optimizer')).body.pending).toBe(0)
  })
})

test('metadata of a body is not looked at', async () => {
  const other = new Trainer(service.app, 'book')
  await other.begin({ type: 'sgd', lr: 1 })
  const { status } = await other.gradients(
    tableFile(onesFor([1], 3), { architecture: 'llama', any: 'thing' }),
  )
  expect(status).toBe(200)
  await other.send('DELETE', 'optimizer')
})

describe('a model with more than rows and positions', () => {
  test('takes no gradients of its answers, and says what to send', async () => {
    const { status, body } = await normed.gradients(onesFor([1], 2))
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ code: 'unsupported_combination', param: 'gradients' })
    expect(body.error.message).toContain('`token_gradients`')
  })

  test('takes gradients of rows', async () => {
    const rows = {
      token_gradients: { shape: [2, 2], numbers: [1, 2, 3, 4] },
      token_ids: { shape: [2], dtype: 'I32', bytes: bytesOf(Int32Array.from([1, 1])) },
      position_gradients: { shape: [1, 2], numbers: [5, 6] },
      position_ids: { shape: [1], dtype: 'I32', bytes: bytesOf(Int32Array.from([3])) },
    }
    const { body } = await normed.gradients(rows)
    expect(body.rows).toEqual({ 'wte.weight': 1, 'wpe.weight': 1 })
    expect(body.grad_norms['wte.weight']).toBeCloseTo(Math.sqrt(16 + 36), 12)
  })
})

describe('an optimizer', () => {
  test.each([
    [{ type: 'adamw', lr: -1 }, 'lr'],
    [{ type: 'adam', betas: [0.9] }, 'betas'],
    [{ type: 'adam', beta: 1 }, 'beta'],
    [{ type: 'lion' }, 'type'],
    [{ lr: 1 }, 'type'],
    [{ type: 'sgd', nesterov: true }, 'nesterov'],
    [{ type: 'adagrad', eps: 0 }, 'eps'],
    [{ type: 'sgd', tables: [] }, 'tables'],
    [{ type: 'sgd', tables: ['wtt.weight'] }, 'tables.0'],
    [{ type: 'sgd', rows: [-1] }, 'rows.0'],
    [{ type: 'sgd', rows: [1, 1] }, 'rows.1'],
  ])('%j is 400 and names %s', async (optimizer, param) => {
    const { status, body } = await new Trainer(service.app, 'book').begin(optimizer)
    expect([status, body.error.param], body.error.message).toEqual([400, param])
  })

  test('a row beyond the table is 422', async () => {
    const { body } = await new Trainer(service.app, 'book').begin({ type: 'sgd', rows: [6] })
    expect(body.error).toMatchObject({ code: 'token_out_of_range', param: 'rows.0' })
  })

  test('the same again is 200, another is 409, and none is 404', async () => {
    const again = await trainer.begin({ type: 'sgd', lr: 1, momentum: 0 })
    expect([again.status, again.body.step]).toEqual([200, 0])
    const other = await trainer.begin({ type: 'sgd', lr: 2 })
    expect([other.status, other.body.error.code]).toEqual([409, 'optimizer_exists'])
    const book = new Trainer(service.app, 'book')
    for (const answer of [
      await book.send('GET', 'optimizer'),
      await book.send('DELETE', 'optimizer'),
      await book.checkpoint(),
      await book.step(),
      await book.gradients(onesFor([1], 3)),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'optimizer_not_found'])
    }
    const none = await new Trainer(service.app, 'none').begin({ type: 'sgd' })
    expect([none.status, none.body.error.code]).toEqual([404, 'model_not_found'])
  })

  test('tables of 16 bits are 422, with how to upload others', async () => {
    const half = new Trainer(service.app, 'half')
    const file = tableFile(
      { 'wte.weight': { shape: [2, 2], dtype: 'F16', bytes: Buffer.alloc(8) } },
      { position_embedding: 'none' },
    )
    const made = await half.send('PUT', '', file, { 'content-type': 'application/vnd.safetensors' })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { status, body } = await half.begin({ type: 'sgd' })
    expect([status, body.error.code]).toEqual([422, 'unsupported_combination'])
    expect(body.error.message).toContain('/v1/models/half/tables')
    expect(body.error.message).toContain('float16')
  })
})

test('a step’s options replace the optimizer’s, and wrong ones are refused', async () => {
  await trainer.gradients(onesFor([1], 2))
  for (const [options, param] of [
    [{ lr: -1 }, 'lr'],
    [{ momentum: 1 }, 'momentum'],
  ] as const) {
    expect((await trainer.step(options)).body.error).toMatchObject({ code: 'invalid_request', param })
  }
  const { body } = await trainer.step({ lr: 0.5, scale: 0.5 })
  expect(body.update_norms['wte.weight']).toBeCloseTo(Math.sqrt(2 * 0.25 ** 2), 5)
})
