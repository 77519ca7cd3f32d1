import { readFileSync } from 'node:fs'

export const ADMIN_KEY = 'an-admin-key-of-32-characters-00'

const SAMPLE = readFileSync(new URL('../../../docs/sample.txt', import.meta.url), 'utf8')
const JSON_TYPE = 'application/json'
const BYTES = 'application/octet-stream'

/** A request for `fetch`: a JSON body and the form of its answer. */
function asks(path, fields, accept = JSON_TYPE) {
  return { path, headers: { 'content-type': JSON_TYPE, accept }, body: JSON.stringify(fields) }
}

/** name → a request whose answer has the same bytes each time: all routes, forms and kinds of models, small and large. */
export function mixedKinds() {
  const rows = '/v1/input-embeddings'
  const batch = { text: SAMPLE, context_length: 4, stride: 4, batch_size: 8, batch_index: 0 }
  const large = { text: SAMPLE.repeat(8), context_length: 256, stride: 128 }
  const tensor = { name: 'text', shape: [1], datatype: 'BYTES', data: [SAMPLE] }
  return {
    'rows, bytes': asks(rows, batch, BYTES),
    'rows, JSON': asks(rows, batch),
    'rows, base64': asks(rows, { ...batch, encoding_format: 'base64' }),
    'rows, safetensors': asks(
      rows,
      { ...batch, outputs: ['input_ids', 'token_embeddings'] },
      'application/vnd.safetensors',
    ),
    'rows, npy': asks(rows, batch, 'application/x-npy'),
    'rows, PyTorch': asks(rows, { ...batch, dtype: 'bfloat16' }, 'application/x-pytorch'),
    'rows, megabytes': asks(rows, large, BYTES),
    'rows, megabytes of JSON': asks(rows, { ...large, text: SAMPLE.repeat(3) }),
    'rows, shuffled': asks(rows, { ...batch, shuffle: true, seed: 7 }, BYTES),
    'rows, rope': asks(rows, { ...batch, position_embedding: { type: 'rope', head_dim: 64 } }),
    'rows of a checkpoint': asks(rows, { model: 'qwen2', text: SAMPLE, context_length: 64 }, BYTES),
    'rows of ids': asks(rows, {
      model: 'llama',
      input_ids: [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
      ],
    }),
    'a text as bytes': {
      path: `${rows}?context_length=512&outputs=window_starts`,
      headers: { 'content-type': 'text/plain', accept: BYTES },
      body: SAMPLE.repeat(100),
    },
    tokens: asks('/v1/tokenize', { text: SAMPLE }),
    'tokens, counted': asks('/v1/tokenize', { text: SAMPLE, encoding: 'o200k_base', count_only: true }),
    'tokens of WordPiece': asks('/v1/tokenize', { text: SAMPLE, model: 'wordpiece-uncased' }),
    text: asks('/v1/detokenize', { input_ids: Array.from({ length: 1000 }, (_, i) => 40 * i) }),
    'embeddings of texts': asks('/v1/embeddings', { model: 'words', input: ['of a', 'a of', SAMPLE] }),
    neighbors: asks('/v1/models/default/neighbors', { input_ids: [15496, 11, 995], k: 5 }),
    'position rows': { path: '/v1/models/default/position-embeddings?context_length=64', method: 'GET' },
    'rows of prompts': asks('/v1/prompt-embeds', { model: 'qwen2', text: SAMPLE }),
    inference: asks('/v2/models/default/infer', { inputs: [tensor], parameters: { context_length: 4 } }),
    'inference, bytes': asks('/v2/models/default/infer', {
      ...{ inputs: [tensor], parameters: { context_length: 4 } },
      outputs: [{ name: 'input_embeddings', parameters: { binary_data: true } }],
    }),
    models: { path: '/v1/models/default', method: 'GET' },
    'the document': { path: '/openapi.json', method: 'GET' },
    'the page': { path: '/', method: 'GET', headers: { accept: 'text/html' } },
  }
}
