import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.js'
import { modelSpec } from '../../src/default-model.js'
import { tensorCount } from '../../src/embeddings/model.js'
import { loadModel } from '../../src/embeddings/singleton.js'

const SMALL = { VOCAB_SIZE: '100', EMBEDDING_DIM: '4' }

test('the process has one model, whoever asks and however often', async () => {
  const before = tensorCount()
  const spec = await modelSpec(readConfig(SMALL))
  const asked = Array.from({ length: 10 }, () => loadModel(spec, {}))
  const models = new Set(await Promise.all(asked))
  models.add(await loadModel({ ...spec, seed: 5n }, {}))
  expect(models.size).toBe(1)
  expect(tensorCount() - before).toBe(3) // its tables
})
