import { afterEach, beforeEach, expect, test } from 'vitest'
import { CONFIG, ModelsFolder } from './folders.js'

let models: ModelsFolder
beforeEach(async () => {
  models = await ModelsFolder.make()
})
afterEach(() => models.remove())

async function schemeOf(fields: object) {
  await models.llama('a', { 'config.json': { ...CONFIG, ...fields } })
  const [{ card }] = await models.entries()
  return card.positionEmbedding
}

const LLAMA3 = { factor: 8, low_freq_factor: 1, high_freq_factor: 4 }

/** As `PreTrainedConfig.standardize_rope_params` of transformers 5.23 reads them. */
test.each<[what: string, fields: object, scheme: object]>([
  ['nothing', {}, { rope_theta: 10_000 }],
  [
    'llama3 without the trained length: the longest sequence',
    { rope_scaling: { rope_type: 'llama3', ...LLAMA3 } },
    { scaling: { type: 'llama3', ...LLAMA3, original_max_position_embeddings: 8 } },
  ],
  [
    'the trained length outside the parameters comes first',
    {
      original_max_position_embeddings: 4,
      rope_parameters: { rope_type: 'llama3', ...LLAMA3, original_max_position_embeddings: 2 },
    },
    { scaling: { original_max_position_embeddings: 4 } },
  ],
  [
    'the trained length of a kind of layer before that outside the parameters',
    {
      original_max_position_embeddings: 4,
      rope_parameters: {
        full_attention: { rope_type: 'llama3', ...LLAMA3, original_max_position_embeddings: 2 },
      },
    },
    { scaling: { original_max_position_embeddings: 2 } },
  ],
  [
    'a width of null in the part about text: that of hidden_size, not of the class',
    { model_type: 'paddleocr_vl', text_config: { model_type: 'paddleocr_vl_text', head_dim: null } },
    { head_dim: CONFIG.hidden_size / CONFIG.num_attention_heads },
  ],
  [
    'yarn without a factor: how many times longer than the trained length',
    { rope_parameters: { rope_type: 'yarn', factor: null, original_max_position_embeddings: 2 } },
    { scaling: { type: 'yarn', factor: 4, original_max_position_embeddings: 2 } },
  ],
  [
    'the older field before the newer one',
    { rope_scaling: { type: 'linear', factor: 2 }, rope_parameters: { rope_type: 'linear', factor: 3 } },
    { scaling: { type: 'linear', factor: 2 } },
  ],
  [
    'an older field with nothing in it',
    { rope_scaling: {}, rope_parameters: { rope_type: 'linear', factor: 3, rope_theta: 7 } },
    { rope_theta: 7, scaling: { type: 'linear', factor: 3 } },
  ],
  [
    'dynamic: the longest sequence, not the trained one',
    { original_max_position_embeddings: 4, rope_scaling: { type: 'dynamic', factor: 2 } },
    { scaling: { type: 'dynamic', factor: 2, max_position_embeddings: 8 } },
  ],
  [
    'GPT-OSS has its own where there are none',
    { model_type: 'gpt_oss' },
    {
      ...{ head_dim: 64, rope_theta: 150_000 },
      scaling: { type: 'yarn', factor: 32, original_max_position_embeddings: 4096, truncate: false },
    },
  ],
])('%s', async (_, fields, scheme) => {
  expect(await schemeOf(fields)).toMatchObject({ type: 'rope', ...scheme })
})

test.each([{}, { model_type: 'gpt_oss', rope_parameters: { rope_type: 'default' } }])(
  'nothing is scaled with %j',
  async (fields) => {
    expect(await schemeOf(fields)).not.toHaveProperty('scaling')
  },
)
