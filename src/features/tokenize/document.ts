import { z } from 'zod'
import { COUNT_HEADERS } from '../../service/answer/counts.js'
import { component, count, flag, object, text } from '../../service/document/components.js'
import { answer, MASK_ERRORS, type Operations, TEXT_ERRORS } from '../../service/document/operation.js'
import { detokenizeRequest, tokenizeRequest } from '../../service/request/fields/tokenize-request.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Tokens'

const ONE_TOKENIZER = '`model` and `encoding` are not given together.'
component('TokenizeRequest', tokenizeRequest, `One of \`text\` and \`messages\` is given. ${ONE_TOKENIZER}`)
component('DetokenizeRequest', detokenizeRequest, ONE_TOKENIZER)

const token = object('Token', {
  id: z.int().min(0),
  bytes: text('The token’s bytes in base64.').meta({ contentEncoding: 'base64' }),
  text: text(
    'The token’s bytes as text; null where they are not whole characters. WordPiece’s tokens, which have none, as they are: `##ing`.',
  ).nullable(),
  start: count('Byte offset of the token in the UTF-8 of its text.'),
  end: count('Byte offset after the token.'),
})

const tokenizedDocument = object('TokenizedDocument', {
  start: count('Place of its first token in `input_ids` and `tokens`.'),
  num_tokens: count('Tokens of this text.'),
  num_characters: count('Unicode code points of this text.'),
})

const tokenizeAnswer = object('TokenizeAnswer', {
  input_ids: z
    .array(z.int().min(0))
    .optional()
    .describe('Of a list of texts one text after the other. Absent under `count_only`.'),
  loss_mask: z
    .array(z.int().min(0).max(1))
    .optional()
    .describe('1 where a token is trained. Present where `mask` is.'),
  num_tokens: count('Tokens of all texts.'),
  num_characters: count('Unicode code points of all texts.'),
  tokens: z.array(token).optional().describe('Each id with its bytes. Absent under `count_only`.'),
  documents: z
    .array(tokenizedDocument)
    .optional()
    .describe('For a list of texts: where the tokens of each are. Absent for a single string.'),
})

const decoded = {
  text: z.string(),
  lossy: flag('Whether bytes that are not UTF-8 came as U+FFFD.'),
}

const detokenizeAnswer = object('DetokenizeAnswer', {
  text: text('The text of one list of ids. Absent for a list of lists.').optional(),
  lossy: decoded.lossy.optional(),
  documents: z
    .array(object('DetokenizedDocument', decoded))
    .optional()
    .describe('For a list of lists: the text of each, in order.'),
})

export const operations: Operations = {
  tokenize: {
    summary: 'Text to token ids, as tiktoken',
    description:
      'Ids, bytes and byte offsets of each token, by a model’s encoding or by any other. Of a list of texts the tokens stand one text after the other, each with offsets within its own text; `documents` tells them apart. As safetensors: `input_ids` [n] and `token_starts` [n + 1], the byte offsets at which tokens begin and the last one ends; where tokens are not the bytes of the text, and for a list, `token_ranges` [n, 2] in its place, begin and end of each; for a list of d texts `document_starts` [d + 1] too, the places in `input_ids` at which texts begin and the last one ends; and under `mask` `loss_mask` [n]; all int32. The metadata names the `model`, or the `encoding` where that was asked for. `count_only` is answered as JSON alone: where `Accept` leaves that out, 406.',
    answers: {
      200: answer(tokenizeAnswer, 'The ids, and each one with its bytes.', [
        ...['Server-Timing', 'Content-Length', COUNT_HEADERS.num_tokens, COUNT_HEADERS.num_characters],
      ]),
    },
    errors: [TEXT_ERRORS.filter((code) => code !== 'token_out_of_range'), MASK_ERRORS],
  },
  detokenize: {
    summary: 'Token ids to text',
    description:
      'Bytes that are not UTF-8 come as U+FFFD, and `lossy` says so. For a list of lists, as `/v1/tokenize` answers a list of texts, `documents` has an entry for each.',
    answers: { 200: answer(detokenizeAnswer, 'The text of the ids.') },
    errors: TEXT_ERRORS,
  },
}
