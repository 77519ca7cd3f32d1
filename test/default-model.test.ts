import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../src/config.js'
import { modelSpec } from '../src/default-model.js'

test.each([
  ['sinusoidal over an odd width', { EMBEDDING_DIM: '5', POSITION_EMBEDDING: 'sinusoidal' }],
  [
    'transformer_xl over a width that its heads do not divide',
    { EMBEDDING_DIM: '12', ARCHITECTURE: 'transformer_xl' },
  ],
])('%s is refused at the start, not at each request', async (_, env) => {
  await expect(modelSpec(readConfig(env))).rejects.toThrow(ConfigError)
})
