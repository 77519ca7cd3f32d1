import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.js'
import { tensorCount } from '../../src/embeddings/model.js'
import { loadModel, modelSpec } from '../../src/embeddings/singleton.js'

const silent = { info() {} }
const SMALL = { VOCAB_SIZE: '100', EMBEDDING_DIM: '4' }

test('the process has one model, whoever asks and however often', async () => {
  const before = tensorCount()
  const asked = Array.from({ length: 10 }, () => loadModel(readConfig(SMALL), 1, silent))
  const models = new Set(await Promise.all(asked))
  models.add(await loadModel(readConfig({ ...SMALL, SEED: '5' }), 1, silent))
  expect(models.size).toBe(1)
  expect(tensorCount() - before).toBe(3) // its tables
})

test.each([
  ['ENCODING', 'bert', /ENCODING must be one of gpt2, .*Given: bert/],
  ['ARCHITECTURE', 'mamba', /ARCHITECTURE must be one of gpt2, .*Given: mamba/],
  ['POSITION_EMBEDDING', 'fourier', /POSITION_EMBEDDING.*Given: fourier/],
  ['POSITION_EMBEDDING', '{"type":"rope","head_dim":-1}', /POSITION_EMBEDDING head_dim .*-1/],
  ['POSITION_EMBEDDING', '{"type":', /POSITION_EMBEDDING must be .*JSON/],
])('%s=%s is refused by name', async (name, value, message) => {
  const refused = modelSpec(readConfig({ ...SMALL, [name]: value }))
  await expect(refused).rejects.toThrow(ConfigError)
  await expect(refused).rejects.toThrow(message)
})

test.each([
  ['sinusoidal over an odd width', { EMBEDDING_DIM: '5', POSITION_EMBEDDING: 'sinusoidal' }],
  [
    'transformer_xl over a width that its heads do not divide',
    { EMBEDDING_DIM: '12', ARCHITECTURE: 'transformer_xl' },
  ],
])('%s is refused at the start, not at each request', async (_, env) => {
  await expect(modelSpec(readConfig(env))).rejects.toThrow(ConfigError)
})
