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
const pendingOf = async (of: Trainer) => (await of.send('GET', 'optimizer')).body.pending

describe('a call that comes twice under one key', () => {
  test('has its effect once, and its first answer both times', async () => {
    const before = await numbersOf(trainer)
    const first = await trainer.gradients(onesFor([1], 2), { key: 'g' })
    expect((await trainer.gradients(onesFor([1], 2), { key: 'g' })).body).toEqual(first.body)
    const stepped = await trainer.step({}, { key: 's' })
    expect(stepped.body).toMatchObject({ model_version: '2', step: 1, rows_updated: { 'wte.weight': 1 } })
    expect((await trainer.step({}, { key: 's' })).body).toEqual(stepped.body)
    const after = await numbersOf(trainer)
    expect([...after].map((value, i) => Math.fround(before[i]! - value))).toEqual(
      [...before].map((value, i) => (i === 2 || i === 3 ? Math.fround(value - Math.fround(value - 1)) : 0)),
    )
    expect((await trainer.send('GET')).body.model_version).toBe('2')
  })

  test('moves the row once: 8 copies of each of 40 calls at once', async () => {
    const other = await learning()
    for (let i = 0; i < 20; i++) {
      const eight = (send: (key: string) => Promise<{ status: number; body: object }>, key: string) =>
        Promise.all(Array.from({ length: 8 }, () => send(key)))
      const sums = await eight((key) => trainer.gradients(onesFor([2], 2, 2 ** -i), { key }), `g${i}`)
      const steps = await eight((key) => trainer.step({}, { key }), `s${i}`)
      for (const copies of [sums, steps]) {
        expect(new Set(copies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
        expect(copies[0]!.status).toBe(200)
      }
      await other.gradients(onesFor([2], 2, 2 ** -i))
      await other.step()
    }
    expect(await numbersOf(trainer)).toEqual(await numbersOf(other))
    expect((await trainer.send('GET', 'optimizer')).body).toMatchObject({ step: 20, pending: 0 })
  })

  test('with another body, query or kind is 422 idempotency_key_reused, and changes nothing', async () => {
    await trainer.gradients(onesFor([1], 2), { key: 'k' })
    const again = [
      await trainer.gradients(onesFor([2], 2), { key: 'k' }),
      await trainer.gradients(onesFor([1], 2), { key: 'k', query: 'position_offset=1' }),
      await trainer.step({}, { key: 'k' }),
    ]
    for (const answer of again) {
      expect(codeOf(answer)).toEqual([422, 'idempotency_key_reused'])
      expect(answer.body.error).toMatchObject({
        param: 'idempotency-key',
        message: expect.stringContaining('"k"'),
      })
    }
    expect(await pendingOf(trainer)).toBe(1)
    await trainer.step({ scale: 0.5 }, { key: 's' })
    expect(codeOf(await trainer.step({ scale: 1 }, { key: 's' }))).toEqual([422, 'idempotency_key_reused'])
  })

  test('that failed has not come', async () => {
    expect(codeOf(await trainer.step({}, { key: 'k' }))).toEqual([409, 'nothing_pending'])
    expect(codeOf(await trainer.gradients(onesFor([1], 2, Number.NaN), { key: 'k' }))).toEqual([
      422,
      'not_finite',
    ])
    expect((await trainer.gradients(onesFor([1], 2), { key: 'k' })).status).toBe(200)
  })

  test('is a new one after a step, which keeps its own key', async () => {
    await trainer.gradients(onesFor([1], 2), { key: 'g' })
    await trainer.step({}, { key: 's' })
    const again = await trainer.gradients(onesFor([1], 2), { key: 'g' })
    expect(again.body).toMatchObject({ model_version: '2', pending: 1 })
    expect((await trainer.step({}, { key: 's' })).body.step).toBe(1)
    expect(await pendingOf(trainer)).toBe(1)
  })
})

test('calls without a key are never told from each other', async () => {
  await trainer.gradients(onesFor([1], 2))
  expect((await trainer.gradients(onesFor([1], 2))).body.pending).toBe(2)
  expect((await trainer.step()).status).toBe(200)
  expect(codeOf(await trainer.step())).toEqual([409, 'nothing_pending'])
})

test.each(['', 'a b', 'ä', 'a'.repeat(256)])('the key %j is 400', async (key) => {
  const { status, body } = await trainer.step({}, { key })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'idempotency-key'])
})

test('several trainers’ gradients are added', async () => {
  await trainer.gradients(onesFor([1], 2), { key: 'a' })
  const second = await trainer.gradients(onesFor([1, 2], 2), { key: 'b' })
  expect(second.body).toMatchObject({ pending: 2, rows: { 'wte.weight': 2 } })
  expect(second.body.grad_norms['wte.weight']).toBeCloseTo(Math.sqrt(4 + 4 + 1 + 1), 12)
})

test('If-Match refuses gradients and steps on tables of another version, not a call that was answered', async () => {
  const at = (version: string, key: string) => ({ key, headers: { 'if-match': `"${version}"` } })
  await trainer.gradients(onesFor([1], 2), at('1', 'a'))
  for (const answer of [
    await trainer.gradients(onesFor([1], 2), at('2', 'b')),
    await trainer.step({}, at('2', 'c')),
  ]) {
    expect(codeOf(answer)).toEqual([412, 'precondition_failed'])
    expect(answer.body.error.message).toMatch(/version .*, 1\. Given: "2"$/)
  }
  expect(await pendingOf(trainer)).toBe(1)
  const stepped = await trainer.step({}, at('1', 's'))
  expect(stepped.body.model_version).toBe('2')
  expect((await trainer.step({}, at('1', 's'))).body).toEqual(stepped.body)
  expect(codeOf(await trainer.gradients(onesFor([1], 2), at('1', 'a')))).toEqual([412, 'precondition_failed'])
})
