import { TOKEN_COUNT_HEADERS } from '../../service/document/headers.js'
import {
  FILES,
  jsonAnswer,
  jsonBody,
  type Operation,
  TEMPLATE_ERRORS,
  TEXT_ERRORS,
} from '../../service/document/operation.js'

const UNREAD = 'Fields that are not listed are the engine’s, and not read.'

export const tokenOperations: readonly Operation[] = [
  {
    id: 'tokenize',
    route: 'post /v1/tokenize',
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
    body: jsonBody('TokenizeRequest'),
    answers: [
      jsonAnswer(
        'TokenizeAnswer',
        'The ids, and each one with its bytes.',
        ['Server-Timing', 'Content-Length', ...TOKEN_COUNT_HEADERS],
        FILES,
      ),
    ],
    errors: [...TEXT_ERRORS.filter((code) => code !== 'token_out_of_range'), ...TEMPLATE_ERRORS],
    examples: [
      {
        name: 'part_of_a_character',
        summary: 'An emoji in parts that are not whole UTF-8',
        body: { text: '🦙' },
        answer: {
          ...{ input_ids: [8582, 99, 247], num_tokens: 3, num_characters: 1 },
          tokens: [
            { id: 8582, bytes: '8J8=', text: null, start: 0, end: 2 },
            { id: 99, bytes: 'pg==', text: null, start: 2, end: 3 },
            { id: 247, bytes: 'mQ==', text: null, start: 3, end: 4 },
          ],
        },
      },
      {
        name: 'count_only',
        summary: 'How many tokens, in another encoding',
        body: { text: 'Hello, world!', encoding: 'cl100k_base', count_only: true },
        answer: { num_tokens: 4, num_characters: 13 },
      },
      {
        name: 'special',
        summary: 'A special token, and one that stays text',
        body: { text: '<|endoftext|>', allowed_special: [] },
      },
    ],
  },
  {
    id: 'detokenize',
    route: 'post /v1/detokenize',
    tag: 'Tokens',
    summary: 'Token ids to text',
    description: 'Bytes that are not UTF-8 come as U+FFFD, and `lossy` says so.',
    body: jsonBody('DetokenizeRequest'),
    answers: [jsonAnswer('DetokenizeAnswer', 'The text of the ids.')],
    errors: TEXT_ERRORS,
    examples: [
      {
        ...{ name: 'hello', summary: 'Four tokens', body: { input_ids: [15496, 11, 995, 0] } },
        answer: { text: 'Hello, world!', lossy: false },
      },
    ],
  },
  {
    id: 'renderCompletion',
    route: 'post /v1/completions/render',
    tag: 'Tokens',
    summary: 'The token ids of a completion’s prompts, for those who route before an engine does',
    description: `OpenAI’s body, vLLM’s answer, or with \`target\` SGLang’s. ${UNREAD}`,
    body: jsonBody('RenderCompletionRequest'),
    answers: [jsonAnswer('RenderedPrompts', 'An object for each prompt, in their order.', ['Server-Timing'])],
    errors: TEXT_ERRORS,
  },
  {
    id: 'renderChat',
    route: 'post /v1/chat/completions/render',
    tag: 'Tokens',
    summary: 'The token ids of a chat by the model’s template',
    description:
      'OpenAI’s body, vLLM’s answer, or with `target` SGLang’s. The ids are those of transformers’ `apply_chat_template`: a template ' +
      `or a chat of which that is not certain is refused with \`template_unsupported\`, which names the construct. ${UNREAD}`,
    body: jsonBody('RenderChatRequest'),
    answers: [jsonAnswer('RenderedPrompt', 'The ids of the chat.', ['Server-Timing'])],
    errors: [...TEXT_ERRORS, ...TEMPLATE_ERRORS],
  },
]
