import { describe, expect, test } from 'vitest'
import { checkpointFile, restoreLearner } from '../../../src/first-layer/learning/checkpoint.js'
import type { Learner } from '../../../src/first-layer/learning/learner.js'
import { openTensors, type TensorFile, TensorReader } from '../../../src/first-layer/learning/tensor-file.js'
import { blocksNow } from '../../../src/first-layer/tensors/blocks.js'
import { callOf, GOLDENS, learnerOf } from './goldens.js'

function saved(learner: Learner): Uint8Array {
  const file = checkpointFile(learner, [])
  return Buffer.concat([...blocksNow(file.blocks())].map((block) => Buffer.from(block)))
}

const restored = (file: TensorFile, { tables }: Learner) => restoreLearner(new TensorReader(file), tables)

const model = { seed: 7, vocab_size: 40, embedding_dim: 6, max_position_embeddings: 9 }
const call = { B: 3, T: 5, ids_mod: 20, salt: 3 }

describe.each([
  { type: 'sgd', lr: 0.1 },
  { type: 'sgd', lr: 0.1, momentum: 0.9, dampening: 0.2 },
  { type: 'adagrad', lr: 0.1, initial_accumulator_value: 0.3, lr_decay: 0.1 },
  { type: 'adam', lr: 0.1, amsgrad: true },
  { type: 'adamw', lr: 0.1, rows: [19, 3, 5] },
  { type: 'sparse_adam', lr: 0.1 },
])('%j', (optimizer) => {
  // Before the first step, between steps, and with gradients.
  test.each([
    [0, 0],
    [3, 0],
    [3, 2],
  ])('a checkpoint after %i steps and %i calls continues to the bit', (steps, calls) => {
    const { learner } = learnerOf(model, optimizer)
    let number = 0
    const add = (to: Learner) => to.gradients(callOf(call, model, ++number, 0))
    for (let s = 0; s < steps; s++) {
      add(learner)
      learner.apply()
    }
    for (let k = 0; k < calls; k++) add(learner)

    const other = restored(openTensors(saved(learner)), learner)
    expect(other.describe()).toEqual(learner.describe())
    const at = number
    const after = [learner, other].map((each) => {
      number = at
      const answers: unknown[] = []
      for (let s = 0; s < 3; s++) answers.push(add(each), each.apply())
      return { answers, file: Buffer.from(saved(each)).toString('base64') }
    })
    expect(after[1]!.answers).toEqual(after[0]!.answers)
    expect(after[1]!.file === after[0]!.file).toBe(true)
  })
})

test('it has PyTorch’s names, and the gradients of `.grad`', () => {
  const { learner } = learnerOf(model, { type: 'adam' })
  const names = () =>
    openTensors(saved(learner)).header.tensors.map(({ name, shape }) => `${name} ${shape.join('×')}`)
  expect(names()).toEqual(['wte.weight 40×6', 'wpe.weight 9×6'])
  const call = {
    token_ids: Int32Array.of(3, 1, 3),
    token_gradients: { dtype: 'float32' as const, bytes: new Uint8Array(72) },
  }
  learner.gradients(call)
  learner.apply()
  learner.gradients(call)
  expect(names()).toEqual([
    'wte.weight 40×6',
    'optimizer.wte.weight.exp_avg 40×6',
    'optimizer.wte.weight.exp_avg_sq 40×6',
    'gradients.wte.weight 40×6',
    'gradients.wte.weight.rows 2',
    'wpe.weight 9×6',
  ])
})

describe('a file that is no checkpoint of the library is refused by name', () => {
  const { learner } = learnerOf(model, { type: 'adam' })
  const bytes = saved(learner)
  const file = openTensors(bytes)
  const { header } = file
  test.each([
    ['wte.weight', { ...header, tensors: [] }],
    ['zz', { ...header, tensors: [...header.tensors, { ...header.tensors[0]!, name: 'zz' }] }],
    ['__metadata__.optimizer', { ...header, metadata: {} }],
    ['__metadata__.step', { ...header, metadata: { ...header.metadata, step: '-1' } }],
    ['__metadata__.step', { ...header, metadata: { ...header.metadata, step: '9007199254740991' } }],
    ['__metadata__.pending', { ...header, metadata: { ...header.metadata, pending: '1e300' } }],
    [
      '__metadata__.optimizer_steps',
      { ...header, metadata: { ...header.metadata, optimizer_steps: '{"wte.weight":4294967296}' } },
    ],
    ['type', { ...header, metadata: { ...header.metadata, optimizer: '{"type":"lion"}' } }],
    [
      'optimizer.wte.weight.exp_avg',
      { ...header, metadata: { ...header.metadata, optimizer_steps: '{"wte.weight":1}' } },
    ],
  ])('%s', (param, changed) => {
    expect(() => restored({ ...file, header: changed }, learner)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param }),
    )
  })
})

test.each(GOLDENS.steps.filter(({ id }) => id.startsWith('resume-')).map((each) => [each.id, each] as const))(
  '%s: a checkpoint at each state of the golden is its tensors',
  (_, golden) => {
    let { learner } = learnerOf(golden.model, golden.optimizer)
    for (let s = 1; s <= golden.steps; s++) {
      learner.gradients(callOf(golden.calls[0]!, golden.model, s, 0))
      learner.apply()
      learner = restored(openTensors(saved(learner)), learner)
      const state = golden.expect.find(({ step }) => step === s)
      const file = openTensors(saved(learner))
      const expected = Object.keys(state?.tensors ?? {})
      if (expected.length > 0)
        expect(file.header.tensors.map(({ name }) => name).sort()).toEqual(expected.sort())
    }
    expect(learner.step).toBe(golden.steps)
  },
)
