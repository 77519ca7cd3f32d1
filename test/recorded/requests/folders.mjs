import { readFileSync } from 'node:fs'
import { folderModels, staticModels, tokenizerModels } from '../models-folder.mjs'
import { accept, FORMATS, get, post } from './request.mjs'
import { EDGES, prose } from './texts.mjs'

const golden = (name) =>
  JSON.parse(
    readFileSync(new URL(`../../../test/goldens/models/${name}/expected.json`, import.meta.url), 'utf8'),
  )

/** Every checkpoint of the goldens through every route that takes a model. */
export function* checkpoints() {
  for (const model of folderModels) {
    const { input_ids } = golden(model)
    const path = '/v1/input-embeddings'
    const all = ['token_embeddings', 'inputs_embeds', 'input_embeddings', 'position_ids']
    yield get(`/v1/models/${model}`)
    yield post(path, { model, input_ids, outputs: all }, accept(FORMATS[1]))
    yield post(path, { model, input_ids, dtype: 'bfloat16' }, accept(FORMATS[1]))
    yield post(path, { model, input_ids, dtype: 'float16', encoding_format: 'base64' })
    yield post(
      path,
      { model, input_ids, context_length: 3, tail: 'pad', outputs: ['input_embeddings'] },
      accept(FORMATS[2]),
    )
    yield post(path, { model, input_ids: input_ids[0], token_type_ids: input_ids[0].map((_, i) => i % 2) })
    yield post(path, { model, input_ids, architecture: 'gpt2' })
    yield post(path, { model, input_ids, position_embedding: 'rope' }, accept(FORMATS[4]))
    yield post(path, { model, text: 'no tokenizer here' })
    yield get(`/v1/models/${model}/position-embeddings?context_length=4`)
    for (const target of ['vllm', 'transformers', 'sglang']) {
      yield post('/v1/prompt-embeds', { model, input_ids, target })
    }
    yield post(`/v1/models/${model}/neighbors`, { input_ids: [3], k: 4 })
    yield post('/v1/embeddings', { model, input: input_ids })
    yield get(`/v2/models/${model}`)
    yield get(`/v2/models/${model}/config`)
    yield post(`/v2/models/${model}/infer`, {
      inputs: [
        {
          name: 'input_ids',
          shape: [input_ids.length, input_ids[0].length],
          datatype: 'INT64',
          data: input_ids,
        },
      ],
      outputs: [{ name: 'input_embeddings' }, { name: 'attention_mask', parameters: { binary_data: true } }],
    })
    yield get(`/v1/models/${model}/tables`)
  }
}

/** Static models: one embedding of a text, by each route. */
export function* staticEmbeddings(draw) {
  for (const model of staticModels) {
    yield get(`/v1/models/${model}`)
    yield post('/v1/embeddings', { model, input: 'a cat sat on the mat' })
    yield post('/v1/embeddings', {
      model,
      input: ['a', 'hello world', prose(draw, 40)],
      encoding_format: 'base64',
    })
    yield post('/v1/embeddings', { model, input: [1, 2, 3, 4], dimensions: 3 })
    yield post('/v1/embeddings', { model, input: [[1, 2], [3]], user: 'me' })
    yield post('/v1/embeddings', { model, input: EDGES.slice(0, 12) })
    yield post('/v1/embeddings', { model, input: 'x', dimensions: 100000 })
    yield post('/v1/embeddings', { model, input: [99999999] })
    yield post('/v1/input-embeddings', { model, text: 'a cat' }, accept(FORMATS[1]))
    yield post('/v1/prompt-embeds', { model, text: 'a cat' })
    yield post(`/v1/models/${model}/neighbors`, { text: 'cat', k: 5 })
    yield get(`/v2/models/${model}`)
    yield post(`/v2/models/${model}/infer`, {
      inputs: [{ name: 'text', shape: [2], datatype: 'BYTES', data: ['a cat', 'hello'] }],
      parameters: { dimensions: 4 },
    })
  }
}

/** Every kind of tokenizer, with texts at the edges and drawn ones. */
export function* tokenizers(draw) {
  const encodings = ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'].map((encoding) => ({
    encoding,
  }))
  const models = tokenizerModels.map((model) => ({ model }))
  for (const which of [...encodings, ...models]) {
    for (const text of EDGES)
      yield post('/v1/tokenize', { ...which, text, add_special_tokens: text.length % 2 === 0 })
    for (let i = 0; i < 4; i++) {
      const text = prose(draw, 10 + draw.upTo(80))
      yield post('/v1/tokenize', {
        ...which,
        text,
        allowed_special: draw.one(['all', [], ['<|endoftext|>']]),
      })
      yield post('/v1/tokenize', { ...which, text, count_only: true })
      yield post('/v1/tokenize', { ...which, text }, accept(FORMATS[1]))
    }
    yield post('/v1/detokenize', { ...which, input_ids: [72, 101, 108, 108, 111, 300, 400] })
    yield post('/v1/detokenize', { ...which, input_ids: [0, 1, 2, 3, 255, 256, 199] })
    yield post('/v1/detokenize', { ...which, input_ids: [1999999] })
  }
  for (const { model } of models) {
    yield get(`/v1/models/${model}`)
    yield post(
      '/v1/input-embeddings',
      { model, text: EDGES.slice(0, 20), context_length: 5, add_special_tokens: true },
      accept(FORMATS[1]),
    )
    yield post('/v1/prompt-embeds', { model, text: ['Hello world', 'a cat'] })
    yield post('/v1/prompt-embeds', {
      model,
      text: 'Hello world',
      target: 'sglang',
      add_special_tokens: false,
      dtype: 'float16',
    })
    yield post('/v1/prompt-embeds', { model, text: 'Hello world', target: 'transformers' })
    yield post(`/v1/models/${model}/neighbors`, { text: ['hello', 'world'], k: 3, metric: 'dot' })
  }
}
