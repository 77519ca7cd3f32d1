import { TOKEN_COUNT_HEADERS } from '../headers.js'
import { ref } from '../json.js'
import { jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { TEMPLATE_ERRORS, TEXT_ERRORS } from './error-lists.js'
import { SAFETENSORS } from './media.js'

export const tokenize: Operation = {
  id: 'tokenize',
  method: 'post',
  path: '/v1/tokenize',
  tag: 'Tokens',
  summary: 'Text to token ids, as tiktoken',
  description:
    'Ids, bytes and byte offsets of each token, by a model’s encoding or by any other. Of a list of texts the tokens stand ' +
    'one text after the other, each with offsets within its own text; `documents` tells them apart. As safetensors: ' +
    '`input_ids` [n] and `token_starts` [n + 1], the byte offsets at which tokens begin and the last one ends; where ' +
    'tokens are not the bytes of the text, and for a list, `token_ranges` [n, 2] in its place, begin and end of each; for ' +
    'a list of d texts `document_starts` [d + 1] too, the places in `input_ids` at which texts begin and the last one ' +
    'ends; all int32. The metadata names the `model`, or the `encoding` where that was asked for. `count_only` is ' +
    'answered as JSON alone: where `Accept` leaves that out, 406.',
  body: { 'application/json': ref('schemas', 'TokenizeRequest') },
  answer: jsonAnswer(
    'TokenizeAnswer',
    'The ids, and each one with its bytes.',
    ['Server-Timing', 'Content-Length', ...TOKEN_COUNT_HEADERS],
    SAFETENSORS,
  ),
  errors: [...TEXT_ERRORS, ...TEMPLATE_ERRORS, 'response_too_large'],
  examples: [
    jsonExample('hello', 'Four tokens', { text: 'Hello, world!' }),
    jsonExample('special', 'A special token, and one that stays text', {
      text: '<|endoftext|>',
      allowed_special: [],
    }),
    jsonExample('half_a_character', 'An emoji in parts that are not whole UTF-8', { text: '🦙' }),
    jsonExample('count_only', 'How many tokens, in another encoding', {
      text: 'Hello, world!',
      encoding: 'cl100k_base',
      count_only: true,
    }),
    jsonExample('texts', 'Two texts', { text: ['Hello, world!', '🦙'] }),
    jsonExample('model_not_found', 'An encoding that is not there', { text: 'Hello', encoding: 'gpt5' }),
  ],
}

export const detokenize: Operation = {
  id: 'detokenize',
  method: 'post',
  path: '/v1/detokenize',
  tag: 'Tokens',
  summary: 'Token ids to text',
  description: 'Bytes that are not UTF-8 come as U+FFFD, and `lossy` says so.',
  body: { 'application/json': ref('schemas', 'DetokenizeRequest') },
  answer: jsonAnswer('DetokenizeAnswer', 'The text of the ids.'),
  errors: [...TEXT_ERRORS, 'response_too_large', 'token_out_of_range'],
  examples: [
    jsonExample('hello', 'Four tokens', { input_ids: [15496, 11, 995, 0] }),
    jsonExample('lossy', 'The first part of an emoji', { input_ids: [8582] }),
    jsonExample('model_not_found', 'An encoding that is not there', { input_ids: [15496], encoding: 'gpt5' }),
    jsonExample('token_out_of_range', 'An id that no text has', { input_ids: [15496, 50257] }),
  ],
}
