import { ref } from '../json.js'
import { jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { ROWS_ERRORS, TEMPLATE_ERRORS } from './error-lists.js'

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
  answer: jsonAnswer('PromptEmbedsAnswer', 'One element for each document, in their order.', [
    'Content-Length',
    'X-Model-Version',
  ]),
  errors: [...ROWS_ERRORS, ...TEMPLATE_ERRORS, 'response_too_large'],
  examplesBy: 'folders',
  examples: [
    jsonExample('vllm', 'A text for vLLM', { model: 'llama', text: 'Hello' }),
    jsonExample('sglang', 'Ids for SGLang', {
      model: 'llama',
      input_ids: [[15496, 11], [995]],
      target: 'sglang',
    }),
    jsonExample('unsupported_combination', 'A model that nobody runs', { input_ids: [15496] }),
  ],
}
