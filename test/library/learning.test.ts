import { expect, test } from 'vitest'
import { modelFromBytes, modelFromCard } from '../../src/index.js'

const CARD = { vocab_size: 12, embedding_dim: 4, max_position_embeddings: 6, seed: 5 }
const ids = [3, 1, 3, 0, 2, 1]
const given = {
  shape: [2, 3] as const,
  gradients: Float32Array.from({ length: 24 }, (_, i) => Math.sin(i)),
  input_ids: ids,
}

const rowsOf = async (model: Awaited<ReturnType<typeof modelFromCard>>) =>
  (await model.embed([ids], { outputs: ['input_embeddings'] })).floats()

test('a model that learns embeds with its new rows', async () => {
  const model = await modelFromCard(CARD)
  const before = (await rowsOf(model)).slice()
  const learner = model.learn({ type: 'sgd', lr: 1, tables: ['wte.weight'] })
  const { grad_norms } = learner.gradients(given)
  expect(grad_norms['wte.weight']).toBeGreaterThan(0)
  expect(learner.step()).toMatchObject({ step: 1, rows_updated: { 'wte.weight': 4 } })
  const after = await rowsOf(model)
  // Id 0 stands once, at b 1, t 0: its row moves by minus its gradient.
  const moved = Array.from({ length: 4 }, (_, c) => Math.fround(-given.gradients[12 + c]!))
  expect([...after.subarray(12, 16)].map((value, c) => value - before[12 + c]!)).toEqual(
    moved.map((value) => expect.closeTo(value, 5)),
  )
  model.dispose()
})

test.each([{ type: 'adamw', lr: 0.1 } as const, { type: 'sparse_adam', rows: [1, 3] } as const])(
  'a checkpoint continues in another model: %j',
  async (optimizer) => {
    const [model, other] = [await modelFromCard(CARD), await modelFromCard({ ...CARD, seed: 6 })]
    const learner = model.learn(optimizer)
    learner.gradients(given)
    learner.step()
    learner.gradients(given)
    const resumed = other.resume(learner.checkpoint())
    expect(await rowsOf(other)).toEqual(await rowsOf(model))
    expect(resumed.steps).toBe(1)
    expect(resumed.step({ lr: 0.5 })).toEqual(learner.step({ lr: 0.5 }))
    expect(Buffer.from(resumed.checkpoint()).equals(Buffer.from(learner.checkpoint()))).toBe(true)
    expect(await rowsOf(other)).toEqual(await rowsOf(model))
    // The file is a model's tables too.
    const third = await modelFromBytes(learner.checkpoint())
    expect(await rowsOf(third)).toEqual(await rowsOf(model))
    for (const each of [model, other, third]) each.dispose()
  },
)

test('tables that cannot learn are refused by name', async () => {
  const bert = await modelFromCard({ ...CARD, architecture: 'bert' })
  const learner = bert.learn({ type: 'adagrad' })
  expect(() => learner.gradients(given)).toThrow(
    expect.objectContaining({ code: 'unsupported_combination', param: 'gradients' }),
  )
  const token_gradients = new Float32Array(8).fill(1)
  expect(learner.gradients({ token_gradients, token_ids: [1, 2] }).rows).toEqual({
    'wte.weight': 2,
    'wpe.weight': 0,
  })
  bert.dispose()

  const model = await modelFromCard(CARD)
  const own = model.learn({ type: 'sgd' })
  for (const [param, wrong] of [
    ['shape', { ...given, shape: [2] }],
    ['gradients', { ...given, gradients: [1] }],
    ['input_ids', { ...given, input_ids: undefined }],
    ['input_ids.1', { ...given, input_ids: [1, 1.5] }],
    ['ids', { ...given, ids: [1] }],
    ['token_ids', { token_gradients }],
  ] as const) {
    expect(() => own.gradients(wrong as never), param).toThrow(
      expect.objectContaining({ code: 'invalid_request', param }),
    )
  }
  expect(() => own.step()).toThrow(expect.objectContaining({ code: 'nothing_pending' }))
  expect(() => model.resume(own.checkpoint().subarray(0, 20))).toThrow(/header|bytes/)
  model.dispose()
})

test('tables of 16 bits do not learn', async () => {
  const header = Buffer.from(
    '{"wte.weight":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]},"wpe.weight":{"dtype":"BF16","shape":[1,2],"data_offsets":[8,12]}}',
  )
  const bytes = Buffer.concat([Buffer.alloc(8), header, Buffer.alloc(12)])
  bytes.writeBigUInt64LE(BigInt(header.length))
  const model = await modelFromBytes(bytes)
  expect(() => model.learn({ type: 'sgd' })).toThrow(
    expect.objectContaining({ code: 'unsupported_combination' }),
  )
  model.dispose()
})
