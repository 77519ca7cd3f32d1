import { z } from 'zod'
import { answeredModel, component, object } from '../../service/document/components.js'
import { answer, type Operations, ROWS_ERRORS, TEMPLATE_ERRORS } from '../../service/document/operation.js'
import { promptEmbedsRequest } from './schemas.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Embeddings'

component('PromptEmbedsRequest', promptEmbedsRequest, 'One of `text`, `input_ids` and `messages` is given.')

const promptEmbedsAnswer = object('PromptEmbedsAnswer', {
  ...answeredModel,
  prompt_embeds: z
    .array(z.string().meta({ contentEncoding: 'base64' }))
    .optional()
    .describe('For each document the file of one tensor, as PyTorch saves it.'),
  per_layer_inputs: z
    .array(z.string().meta({ contentEncoding: 'base64' }))
    .optional()
    .describe('Of Gemma 3n and 4, in the same form: [T, L, D], what their argument of this name takes.'),
  ple_input_ids: z
    .array(z.array(z.int().min(0)))
    .optional()
    .describe('Of Qwen4-Exp: the ids of each document, by which its blocks look rows up.'),
  input_embeds: z
    .array(z.array(z.array(z.number())))
    .optional()
    .describe('For `target` sglang, in its place: for each document an array for each token.'),
  num_tokens: z.array(z.int().min(0)).describe('T of each document.'),
  shape: z.array(z.array(z.int().min(0))).describe('[T, C] of each document.'),
})

export const operations: Operations = {
  createPromptEmbeds: {
    summary: 'The rows of prompts, as model servers take them',
    description:
      'For each text the rows that the target’s own lookup would give, of a checkpoint: for vLLM and transformers a file that `torch.load(weights_only=True)` opens, in base64, of a tensor [T, C]; for SGLang numbers. Nothing is padded. Rows give no privacy: the nearest row of the table gives each token back.',
    answers: {
      200: answer(promptEmbedsAnswer, 'One element for each document, in their order.', [
        ...['Content-Length', 'X-Model-Version'],
      ]),
    },
    errors: [ROWS_ERRORS, TEMPLATE_ERRORS],
  },
}
