import { expect, test } from 'vitest'
import { allocateTables, bytesOf } from '../../../src/first-layer/embeddings/table-memory.js'
import {
  beginLearner,
  checkpointOf,
  restoreInto,
  stepInto,
} from '../../../src/first-layer/learning/table-learner.js'
import { openTensors } from '../../../src/first-layer/learning/tensor-file.js'
import { blocksNow } from '../../../src/first-layer/tensors/blocks.js'

const LAYOUT = (['wte.weight', 'wpe.weight', 'wtt.weight'] as const).map((name, i) => ({
  ...{ name, shape: [4 - i, 2], dtype: 'float32' as const },
}))

test('a whole checkpoint has tables too that cannot learn, and gives them back', () => {
  const present = allocateTables(LAYOUT, 2, 1)
  for (const place of present.places) bytesOf(present, place).fill(63)
  const learner = beginLearner({ type: 'adam' }, present)
  const gradients = { dtype: 'float32' as const, bytes: new Uint8Array(8).fill(62) }
  learner.gradients({ token_ids: Int32Array.of(1), token_gradients: gradients }, 100)
  const copy = allocateTables(LAYOUT, 2, 1)
  stepInto(learner, {}, present, copy, undefined)
  const file = checkpointOf(learner, copy, {}, true)
  const bytes = Buffer.concat([...blocksNow(file.blocks())].map((block) => Buffer.from(block)))

  const other = allocateTables(LAYOUT, 2, 1)
  const restored = restoreInto(openTensors(bytes), other)
  expect(restored.describe()).toEqual(learner.describe())
  for (const [i, place] of other.places.entries())
    expect(bytesOf(other, place)).toEqual(bytesOf(copy, copy.places[i]!))
})
