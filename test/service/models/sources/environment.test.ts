import { expect, test } from 'vitest'
import { environmentCard } from '../../../../src/models/environment.js'
import { ConfigError } from '../../../../src/models/variables.js'
import { readConfig } from '../../../../src/service/features.js'

const SMALL = { VOCAB_SIZE: '100', EMBEDDING_DIM: '4' }

test.each([
  ['ENCODING', 'bert', /^ENCODING must be one of gpt2, .*Given: "bert"$/],
  ['ARCHITECTURE', 'mamba', /^ARCHITECTURE must be one of gpt2, .*Given: "mamba"$/],
  ['POSITION_EMBEDDING', 'fourier', /^POSITION_EMBEDDING .*type must be one of none, .*Given: "fourier"$/],
  ['POSITION_EMBEDDING', '{"type":"rope","head_dim":-1}', /^POSITION_EMBEDDING .*head_dim .*-1/],
  ['POSITION_EMBEDDING', '{"type":"rope","colour":1}', /^POSITION_EMBEDDING .*\(colour is not an option\)/],
  ['POSITION_EMBEDDING', '{"type":', /^POSITION_EMBEDDING must be .*JSON/],
])('%s=%s is refused by name', (name, value, message) => {
  const read = () => readConfig({ ...SMALL, [name]: value })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(message)
})

test.each([
  ['sinusoidal over an odd width', { EMBEDDING_DIM: '5', POSITION_EMBEDDING: 'sinusoidal' }],
  [
    'transformer_xl over a width that its heads do not divide',
    { EMBEDDING_DIM: '12', ARCHITECTURE: 'transformer_xl' },
  ],
])('%s is refused at the start, not at each request', (_, env) => {
  expect(() => environmentCard(readConfig(env))).toThrow(ConfigError)
})
