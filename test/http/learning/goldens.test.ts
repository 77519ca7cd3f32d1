import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOf, GOLDENS, type GoldenCase } from '../../first-layer/learning/goldens.js'
import { sha256 } from '../../goldens.js'
import { parsedSafetensors } from '../../library/safetensors.js'
import { type ManagedService, managedService } from '../models/managed.js'
import { bodyOf, Trainer } from './trainer.js'

let service: ManagedService
beforeAll(async () => {
  service = await managedService({ MAX_TABLE_BYTES: String(2 ** 29) })
})
afterAll(() => service.close())

async function makeModel({ id, model }: GoldenCase): Promise<Trainer> {
  const trainer = new Trainer(service.app, id)
  const { max_position_embeddings: P, ...card } = model
  const positions = P === undefined ? { position_embedding: 'none' } : { max_position_embeddings: P }
  expect((await trainer.send('PUT', '', { ...card, ...positions })).status).toBe(201)
  return trainer
}

describe('tables, states and norms over HTTP are PyTorch’s to the bit', () => {
  test.each(GOLDENS.steps.map((each) => [each.id, each] as const))('%s', async (_, golden) => {
    const trainer = await makeModel(golden)
    expect((await trainer.begin(golden.optimizer)).status).toBe(201)
    for (let s = 1; s <= golden.steps; s++) {
      let norms: Record<string, number> = {}
      for (const [k, given] of golden.calls.entries()) {
        if (given.steps !== undefined && !given.steps.includes(s)) continue
        const { call } = callOf(given, golden.model, s, k)
        const query =
          given.position_offset === undefined ? undefined : `position_offset=${given.position_offset}`
        const { status, body } = await trainer.gradients(bodyOf(call), { part: given.part, query })
        expect(status, JSON.stringify(body)).toBe(200)
        norms = body.grad_norms
      }
      const state = golden.expect.find(({ step }) => step === s)
      for (const [name, norm] of Object.entries(norms)) {
        const expected = state?.grad_norms?.[name]?.norm
        if (expected !== undefined) expect(norm / Number(expected) || 1).toBeCloseTo(1, 10)
      }
      const stepped = await trainer.step(golden.step_overrides?.[s])
      expect(stepped.body).toMatchObject({ step: s, model: golden.id, model_version: String(s + 1) })
      if (state === undefined) continue
      const tensors = parsedSafetensors((await trainer.checkpoint()).file)
      expect(Object.keys(tensors).sort()).toEqual(Object.keys(state.tensors).sort())
      const tables = parsedSafetensors((await trainer.send('GET', 'tables')).file)
      for (const [name, { sha256: expected }] of Object.entries(state.tensors)) {
        expect(sha256(tensors[name]!), `${name}, step ${s}`).toBe(expected)
        if (tables[name] !== undefined) expect(sha256(tables[name]), `${name} of step ${s}`).toBe(expected)
      }
    }
    await trainer.send('DELETE')
  })
})
