import { ref } from '../json.js'
import { jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { TEXT_ERRORS } from './error-lists.js'

const TEXT = 'The first layer. It has rows, and adds positions to them. That is all.'

export const chunks: Operation = {
  id: 'chunk',
  method: 'post',
  path: '/v1/chunks',
  tag: 'Tokens',
  summary: 'Parts of a text with at most so many tokens',
  description:
    'Places in the text, in bytes of its UTF-8 and in code points, as tokenizers of Hugging Face count them; never within a ' +
    'character or a token. Each chunk is as long as it can be, and ends at a `boundary` where one is in reach. The chunks ' +
    'without what they repeat of the one before are the text, byte for byte. `num_tokens` are the tokens of the whole text ' +
    'that lie in the chunk: tokenized alone, a chunk that begins or ends within a word may have others.',
  body: { 'application/json': ref('schemas', 'ChunksRequest') },
  answer: jsonAnswer('ChunksAnswer', 'The chunks in their order.', ['Content-Length']),
  errors: [...TEXT_ERRORS, 'unsupported_combination', 'response_too_large'],
  examples: [
    jsonExample('tokens', 'Of eight tokens, two of them again', { text: TEXT, max_tokens: 8, overlap: 2 }),
    jsonExample('sentences', 'Whole sentences, with their texts', {
      text: TEXT,
      max_tokens: 12,
      boundary: 'sentence',
      include_text: true,
    }),
    jsonExample('unsupported_combination', 'A character of more tokens', { text: '🦙', max_tokens: 2 }),
  ],
}
