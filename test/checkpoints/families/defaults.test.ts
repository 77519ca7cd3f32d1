import { expect, test } from 'vitest'
import { ConfigJson } from '../../../src/checkpoints/config-json.js'
import { familyOf } from '../../../src/checkpoints/families/families.js'

/** `hidden_size`, `num_attention_heads`, `max_position_embeddings`, `pad_token_id`, `head_dim`; 0 positions: none. */
type Stated = readonly [width: number, heads: number, positions: number, pad?: number, headDim?: number]

// The configuration classes of transformers 5.23.
const DEFAULTS: Readonly<Record<string, Stated>> = {
  gpt2: [768, 12, 1024],
  gpt_neo: [2048, 16, 2048],
  gpt_bigcode: [768, 12, 1024],
  gptj: [4096, 16, 2048],
  codegen: [4096, 16, 2048],
  gpt_neox: [6144, 64, 2048],
  'openai-gpt': [768, 12, 512],
  mpt: [2048, 16, 2048],
  falcon: [4544, 71, 2048],
  bloom: [64, 8, 0],
  opt: [768, 12, 2048, 1],
  ctrl: [1280, 16, 256],
  xlnet: [1024, 16, 0, 5],
  xglm: [1024, 16, 2048, 1],
  llama: [4096, 32, 2048],
  mistral: [4096, 32, 131_072],
  mixtral: [4096, 32, 131_072],
  qwen2: [4096, 32, 32_768],
  qwen3: [4096, 32, 32_768, undefined, 128],
  phi: [2048, 32, 2048],
  phi3: [3072, 32, 4096, 32_000],
  olmo: [4096, 32, 2048, 1],
  olmo2: [4096, 32, 2048, 1],
  olmoe: [2048, 16, 4096, 1],
  stablelm: [2560, 32, 4096],
  starcoder2: [3072, 24, 4096],
  cohere: [8192, 64, 8192, 0],
  gemma: [3072, 16, 8192, 0, 256],
  gemma2: [2304, 8, 8192, 0, 256],
  granite: [4096, 32, 2048],
  t5: [512, 8, 0, 0],
  mt5: [512, 6, 0, 0],
  bart: [1024, 16, 1024, 1],
  bert: [768, 12, 512, 0],
  roberta: [768, 12, 512, 1],
  albert: [4096, 64, 512, 0],
  electra: [256, 4, 512, 0],
  modernbert: [768, 12, 8192, 50_283],
  'deberta-v2': [1536, 24, 512, 0],
}

test.each(Object.entries(DEFAULTS))('%s: %j', (modelType, [width, heads, positions, pad, headDim]) => {
  expect(familyOf(ConfigJson.parse(JSON.stringify({ model_type: modelType }))).defaults).toEqual({
    ...{ hidden_size: width, num_attention_heads: heads },
    ...(positions > 0 && { max_position_embeddings: positions }),
    ...(pad !== undefined && { pad_token_id: pad }),
    ...(headDim !== undefined && { head_dim: headDim }),
  })
})
