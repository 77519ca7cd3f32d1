import type { ErrorCode } from '../../errors.js'
import { type JsonObject, ref } from '../json.js'
import { type GoodAnswer, jsonExample, type Operation } from '../operation.js'
import { ROWS_ERRORS } from './error-lists.js'

const ERRORS: readonly ErrorCode[] = [
  ...ROWS_ERRORS,
  ...(['not_found', 'prompt_not_found', 'context_too_long', 'upstream_failed', 'upstream_timeout'] as const),
]

const PASSED_ON =
  'The body goes on to the model server of `UPSTREAM_URL`; where there is none, the answer is 404 `not_found`. ' +
  'Fields that are not listed are the model server’s, and go on as they are. Its answers come back byte for byte, ' +
  'its errors with their statuses too.'

const OBJECT: JsonObject = { type: 'object', additionalProperties: true }

const answer: GoodAnswer = {
  description: 'The model server’s answer as it comes, under its own status; a stream event by event.',
  headers: [],
  content: { 'application/json': OBJECT, 'text/event-stream': { type: 'string' } },
}

/** Shared by both: OpenAI's interface, with a model server behind the service. */
const common = { method: 'post', tag: 'Completions', answer, errors: ERRORS, examplesBy: 'proxied' } as const

export const completions: Operation = {
  ...common,
  id: 'createCompletion',
  path: '/v1/completions',
  summary: 'A completion by a model server, which gets rows in place of text',
  description: `OpenAI’s, with \`prompt_embeds\` in place of \`prompt\`: the rows of the whole prompt. ${PASSED_ON}`,
  body: { 'application/json': ref('schemas', 'CompletionRequest') },
  examples: [
    jsonExample('text', 'A text', { model: 'llama', prompt: 'The capital of France is', max_tokens: 1 }),
    jsonExample('unsupported_combination', 'A model that nobody runs', { prompt: 'Hello' }),
  ],
}

export const chatCompletions: Operation = {
  ...common,
  id: 'createChatCompletion',
  path: '/v1/chat/completions',
  summary: 'A chat’s next message by a model server, which gets rows in place of texts',
  description:
    'OpenAI’s, with parts of type `prompt_embeds` in place of the texts in `messages`, without special tokens: the ' +
    `template stays the model server’s. ${PASSED_ON}`,
  body: { 'application/json': ref('schemas', 'ChatCompletionRequest') },
  examples: [
    jsonExample('message', 'A message', {
      model: 'llama',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      max_tokens: 1,
    }),
  ],
}
