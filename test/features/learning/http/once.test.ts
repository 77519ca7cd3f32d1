import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parsedSafetensors } from '../../../library/safetensors.js'
import { type ManagedService, managedService } from '../../../managed.js'
import { onesFor, Trainer } from './trainer.js'

const CARD = { vocab_size: 6, embedding_dim: 2, position_embedding: 'none' }

let service: ManagedService
let trainer: Trainer
let made = 0
beforeAll(async () => {
  service = await managedService()
})
afterAll(() => service.close())
beforeEach(async () => {
  trainer = await learning()
})

async function learning(optimizer: object = { type: 'sgd', lr: 1 }): Promise<Trainer> {
  const trainer = new Trainer(service.app, `org/model-${++made}`)
  await trainer.send('PUT', '', CARD)
  expect((await trainer.begin(optimizer)).status).toBe(201)
  return trainer
}

const tablesOf = async (of: Trainer) => parsedSafetensors((await of.send('GET', 'tables')).file)
const numbersOf = async (of: Trainer) =>
  new Float32Array(new Uint8Array((await tablesOf(of))['wte.weight']!).buffer)
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]

describe('a call that comes twice', () => {
  test('has its effect once, and its first answer both times', async () => {
    const before = await numbersOf(trainer)
    const gradients = { sequence: 1, writer: 'a' }
    const first = await trainer.gradients(onesFor([1], 2), gradients)
    expect((await trainer.gradients(onesFor([1], 2), gradients)).body).toEqual(first.body)
    const step = { sequence: 2, writer: 'a' }
    const stepped = await trainer.step({}, step)
    expect(stepped.body).toMatchObject({ model_version: '2', step: 1, rows_updated: { 'wte.weight': 1 } })
    expect((await trainer.step({}, step)).body).toEqual(stepped.body)
    expect((await trainer.gradients(onesFor([1], 2), gradients)).body).toEqual(first.body)
    const after = await numbersOf(trainer)
    expect([...after].map((value, i) => Math.fround(before[i]! - value))).toEqual(
      [...before].map((value, i) => (i === 2 || i === 3 ? Math.fround(value - Math.fround(value - 1)) : 0)),
    )
    expect((await trainer.send('GET')).body.model_version).toBe('2')
  })

  test('with another body, query, part or kind is 409 sequence_conflict', async () => {
    await trainer.gradients(onesFor([1], 2), { sequence: 1 })
    const again: Parameters<Trainer['gradients']>[] = [
      [onesFor([2], 2), { sequence: 1 }],
      [onesFor([1], 2), { sequence: 1, part: '1/2' }],
      [onesFor([1], 2), { sequence: 1, query: 'position_offset=1' }],
    ]
    for (const [body, options] of again) {
      expect(codeOf(await trainer.gradients(body, options))).toEqual([409, 'sequence_conflict'])
    }
    expect(codeOf(await trainer.step({}, { sequence: 1 }))).toEqual([409, 'sequence_conflict'])
    expect((await trainer.send('GET', 'optimizer')).body.pending).toBe(1)
  })

  test('that failed keeps its number', async () => {
    expect(codeOf(await trainer.step({}, { sequence: 1 }))).toEqual([409, 'nothing_pending'])
    expect((await trainer.gradients(onesFor([1], 2), { sequence: 1 })).status).toBe(200)
    expect(codeOf(await trainer.gradients(onesFor([1], 2, Number.NaN), { sequence: 2 }))).toEqual([
      422,
      'not_finite',
    ])
    expect((await trainer.step({}, { sequence: 2 })).status).toBe(200)
  })
})

test('a number beyond the next is 409 sequence_gap, which names the next', async () => {
  const answer = await trainer.gradients(onesFor([1], 2), { sequence: 3 })
  expect(codeOf(answer)).toEqual([409, 'sequence_gap'])
  expect(answer.body.error.message).toContain('must be 1')
})

test.each([
  [{}, 'X-Sequence'],
  [{ 'x-sequence': '0' }, 'X-Sequence'],
  [{ 'x-sequence': '1.5' }, 'X-Sequence'],
  [{ 'x-sequence': '01' }, 'X-Sequence'],
  [{ 'x-sequence': '9007199254740993' }, 'X-Sequence'],
  [{ 'x-sequence': '1', 'x-writer': 'a b' }, 'X-Writer'],
  [{ 'x-sequence': '1', 'x-writer': 'a'.repeat(65) }, 'X-Writer'],
  [{ 'x-sequence': '1', 'x-part': '3/2' }, 'X-Part'],
])('a step with the headers %j is 400 and names %s', async (headers, name) => {
  const answer = await trainer.send('POST', 'steps', {}, headers as Record<string, string>)
  expect(codeOf(answer)).toEqual([400, 'invalid_request'])
  expect(answer.body.error).toMatchObject({ param: name, message: expect.stringContaining(`\`${name}\``) })
})

test('a step is no part', async () => {
  const answer = await trainer.step({}, { part: '1/2' })
  expect(answer.body.error).toMatchObject({ code: 'invalid_request', param: 'X-Part' })
})

test('several writers count for themselves; their gradients are added', async () => {
  await trainer.gradients(onesFor([1], 2), { writer: 'a' })
  const second = await trainer.gradients(onesFor([1, 2], 2), { writer: 'b' })
  expect(second.body).toMatchObject({ pending: 2, rows: { 'wte.weight': 2 } })
  expect(second.body.grad_norms['wte.weight']).toBeCloseTo(Math.sqrt(4 + 4 + 1 + 1), 12)
  await trainer.step({}, { writer: 'b' })
  expect((await trainer.send('GET')).body.learning).toMatchObject({
    step: 1,
    pending: 0,
    writers: { a: 1, b: 2 },
  })
})

test('If-Match refuses a step on tables of another version, not one that was answered', async () => {
  await trainer.gradients(onesFor([1], 2), { writer: 'a' })
  const other = await trainer.step({}, { writer: 'a', headers: { 'if-match': '"2"' } })
  expect(codeOf(other)).toEqual([412, 'precondition_failed'])
  const guarded = { writer: 'a', sequence: 2, headers: { 'if-match': '"1"' } }
  const stepped = await trainer.step({}, guarded)
  expect(stepped.body.model_version).toBe('2')
  expect((await trainer.step({}, guarded)).body).toEqual(stepped.body)
})

test('parts give the same bits in whatever order they come, and a step waits for all', async () => {
  const values = [0.1, 1e8, -1e8].map(Math.fround)
  const tables: Float32Array[] = []
  for (const order of [
    [1, 2, 3],
    [3, 1, 2],
    [2, 3, 1],
  ]) {
    const one = await learning()
    for (const [i, part] of order.entries()) {
      const body = onesFor([1], 2, values[part - 1]!)
      const { body: answer } = await one.gradients(body, { writer: `w${part}`, part: `${part}/3` })
      expect(answer).toMatchObject({ pending: i + 1, rows: { 'wte.weight': i === 2 ? 1 : 0 } })
      if (i < 2) expect(codeOf(await one.step())).toEqual([409, 'parts_missing'])
    }
    await one.step()
    tables.push(await numbersOf(one))
  }
  expect(tables[1]).toEqual(tables[0])
  expect(tables[2]).toEqual(tables[0])
})
