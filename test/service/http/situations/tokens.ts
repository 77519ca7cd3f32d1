import { invalid, type Situation, text } from '../bad-input.js'

/** The fields of tokenize. */
// biome-ignore format: one situation a line
export const TOKENIZE: Situation[] = [
  { name: 'no text', body: {}, expected: invalid('text') },
  { name: 'a number for a text', body: { text: 7 }, expected: invalid('text') },
  { name: 'a number among the texts', body: { text: ['a', 7] }, expected: invalid('text.1') },
  { name: 'no texts in the list', body: { text: [] }, expected: [400, 'empty_input', 'text'] },
  { name: 'an empty text in the list', body: { text: ['a', ''] }, expected: [400, 'empty_input', 'text.1'] },
  { name: 'empty text', body: { text: '' }, expected: [400, 'empty_input', 'text'] },
  { name: 'a lone surrogate', body: '{"text":"a\\udfff"}', expected: [400, 'invalid_unicode', 'text'], says: 'index 1' },
  { name: 'a model beside an encoding', body: { text, model: 'default', encoding: 'gpt2' }, expected: invalid('encoding') },
  { name: 'an unknown encoding', body: { text, encoding: 'bert' }, expected: [404, 'model_not_found', 'encoding'] },
  { name: 'an unknown model', body: { text, model: 'x' }, expected: [404, 'model_not_found', 'model'] },
  { name: 'an unknown field', body: { text, context_length: 4 }, expected: invalid('context_length') },
].map((situation) => ({ ...situation, url: '/v1/tokenize' }) as Situation)

/** The fields of detokenize. */
// biome-ignore format: one situation a line
export const DETOKENIZE: Situation[] = [
  { name: 'no ids', body: { input_ids: [] }, expected: [400, 'empty_input', 'input_ids'] },
  { name: 'an empty document', body: { input_ids: [[1], []] }, expected: [400, 'empty_input', 'input_ids.1'] },
  { name: 'an id of a document that is no token', body: { input_ids: [[1], [2, 50257]] }, expected: [422, 'token_out_of_range', 'input_ids.1.1'] },
  { name: 'an id that is no token', body: { input_ids: [1, 50257] }, expected: [422, 'token_out_of_range', 'input_ids.1'] },
  { name: 'an id in a hole', body: { input_ids: [100256], encoding: 'cl100k_base' }, expected: [422, 'token_out_of_range', 'input_ids.0'] },
].map((situation) => ({ ...situation, url: '/v1/detokenize' }) as unknown as Situation)
