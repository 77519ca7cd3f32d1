import { ref } from '../json.js'
import type { Example, Operation } from '../operation.js'
import { BODY_ERRORS } from './media.js'

function json(name: string, summary: string, value: object): Example {
  return { name, summary, body: { mediaType: 'application/json', value: value as never } }
}

export const promptEmbeds: Operation = {
  id: 'createPromptEmbeds',
  method: 'post',
  path: '/v1/prompt-embeds',
  tag: 'Embeddings',
  summary: 'The rows of prompts, as model servers take them',
  description:
    'For each text the rows that the target’s own lookup would give, of a checkpoint: for vLLM and transformers a file that ' +
    '`torch.load(weights_only=True)` opens, in base64, of a tensor [T, C]; for SGLang numbers. Nothing is padded. Rows give no ' +
    'privacy: the nearest row of the table gives each token back.',
  body: { 'application/json': ref('schemas', 'PromptEmbedsRequest') },
  answer: {
    description: 'One element for each document, in their order.',
    headers: ['Content-Length', 'X-Model-Version'],
    content: { 'application/json': ref('schemas', 'PromptEmbedsAnswer') },
  },
  errors: [
    ...(['invalid_json', ...BODY_ERRORS, 'model_not_found', 'not_acceptable', 'loading'] as const),
    ...([
      'token_out_of_range',
      'unsupported_combination',
      'tokenizer_unavailable',
      'response_too_large',
    ] as const),
    ...(['model_failed', 'model_loading', 'insufficient_memory'] as const),
  ],
  examplesBy: 'folders',
  examples: [
    json('vllm', 'A text for vLLM', { model: 'llama', text: 'Hello' }),
    json('sglang', 'Ids for SGLang', { model: 'llama', input_ids: [[15496, 11], [995]], target: 'sglang' }),
    json('unsupported_combination', 'A model that nobody runs', { input_ids: [15496] }),
  ],
}
