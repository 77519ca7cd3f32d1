import { engine, registerBackend, setBackend } from '@tensorflow/tfjs-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { registerTensorflowKernel } from '../../../../src/first-layer/embeddings/backends/tensorflow.js'
import { itLetsGoOfWords, itLooksUpAnyWidth } from './any-width.js'
import { FakeTensorflow } from './fake-tensorflow.js'

// The package is absent where these tests usually run: tensorflow.test.ts has the same ones on the real one.
describe('backend tensorflow over a stand-in for TensorFlow', () => {
  const fake = new FakeTensorflow()

  beforeAll(async () => {
    registerBackend('tensorflow', () => fake)
    registerTensorflowKernel()
    await setBackend('tensorflow')
    expect(engine().backend).toBe(fake)
  })

  afterAll(() => setBackend('cpu'))

  itLooksUpAnyWidth()
  itLetsGoOfWords()
})
