import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.js'
import { modelSpec } from '../../src/default-model.js'
import { tensorCount } from '../../src/embeddings/model.js'
import { loadModel } from '../../src/embeddings/singleton.js'

const SMALL = { VOCAB_SIZE: '100', EMBEDDING_DIM: '4' }

test('the process has one model, whoever asks and however often', async () => {
  const before = tensorCount()
  const spec = await modelSpec(readConfig(SMALL))
  const models = new Set(await Promise.all(Array.from({ length: 10 }, () => loadModel(spec, {}))))
  models.add(await loadModel(await modelSpec(readConfig({ ...SMALL, SEED: '5' })), {}))
  expect(models.size).toBe(1)
  expect(tensorCount() - before).toBe(3) // its tables
})
