import { expect, test } from 'vitest'
import type { Dtype } from '../../../../src/first-layer/tensors/named-tensor.js'
import { tensorPickle } from '../../../../src/first-layer/tensors/torch/pickle.js'
import { pickles } from '../../../torch-file.js'

test.each(pickles)('$dtype $shape is pickled as torch.save does it', ({ dtype, shape, pickle }) => {
  expect(tensorPickle(dtype as Dtype, shape).toString('hex')).toBe(pickle)
})
