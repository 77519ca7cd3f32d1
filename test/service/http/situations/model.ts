import { MEDIA_TYPES } from '../../../decode.js'
import { type Situation, text, windows } from '../bad-input.js'

/** Right alone, but not with this model, these documents, these limits. */
// biome-ignore format: one situation a line
export const SEMANTICS: Situation[] = [
  { name: 'an unknown model', body: { text, model: 'gpt-5' }, expected: [404, 'model_not_found', 'model'], says: 'gpt-5' },
  { name: 'an id beyond the vocabulary', body: { input_ids: [1, 2, 50257] }, expected: [422, 'token_out_of_range', 'input_ids.2'], says: /50257.*Given: 50257/ },
  { name: 'an id beyond int32', body: { input_ids: [[1], [2, 2 ** 40]] }, expected: [422, 'token_out_of_range', 'input_ids.1.1'] },
  { name: 'a pad_token_id beyond the vocabulary', body: { text, context_length: 5, tail: 'pad', pad_token_id: 50257 }, expected: [422, 'token_out_of_range', 'pad_token_id'] },
  { name: 'a context longer than the table', body: { text, context_length: 1025 }, expected: [422, 'context_too_long', 'context_length'], says: /1024.*1025/ },
  { name: 'an offset that leaves the table', body: { ...windows, position_offset: 1021 }, expected: [422, 'context_too_long', 'context_length'], says: /1024.*1025/ },
  { name: 'a whole document longer than the table', body: { input_ids: Array(1025).fill(7), outputs: ['input_embeddings'] }, expected: [422, 'context_too_long', 'context_length'], says: /1025.*`truncation`/ },
  { name: 'a context of 2^53 − 1', body: { text, context_length: Number.MAX_SAFE_INTEGER }, expected: [422, 'context_too_long', 'context_length'] },
  { name: 'bfloat16 as npy', body: { text, dtype: 'bfloat16' }, headers: { accept: MEDIA_TYPES.npy }, expected: [422, 'unsupported_combination', 'dtype'] },
  { name: 'position rows under none', body: { text, position_embedding: 'none', outputs: ['position_embeddings'] }, expected: [422, 'unsupported_combination', 'outputs'] },
  { name: 'a text too short for a window', body: { text: 'Hello, world!', context_length: 4 }, expected: [422, 'no_windows', 'context_length'], says: /needs 5 tokens.*Given: 4 tokens/ },
  { name: 'no document long enough for a window', body: { input_ids: [[1, 2], [3]], context_length: 2 }, expected: [422, 'no_windows', 'context_length'] },
  { name: 'no whole batch', body: { ...windows, batch_size: 100, drop_last: true }, expected: [422, 'no_windows', 'batch_size'], says: '100' },
  { name: 'a batch_index beyond the last batch', body: { ...windows, batch_size: 2, batch_index: 7 }, expected: [422, 'batch_out_of_range', 'batch_index'], says: /\d\. Given: 7/ },
  { name: 'a batch_index of 2^53 − 1', body: { ...windows, batch_size: 2, batch_index: Number.MAX_SAFE_INTEGER }, expected: [422, 'batch_out_of_range', 'batch_index'] },
  { name: 'an answer over the JSON limit', body: { input_ids: Array(200).fill(7), outputs: ['input_embeddings'] }, expected: [413, 'response_too_large', null], says: /20000 bytes.*22\d\d\d bytes/ },
  { name: 'an answer over the JSON limit as base64', body: { input_ids: Array(500).fill(7), encoding_format: 'base64', outputs: ['input_embeddings'] }, expected: [413, 'response_too_large', null], says: /20000 bytes.*21\d\d\d bytes/ },
  { name: 'an answer over the binary limit', body: { input_ids: Array(313).fill(7) }, headers: { accept: MEDIA_TYPES.raw }, expected: [413, 'response_too_large', null], says: /10000 bytes.*10016 bytes/ },
  { name: 'an answer over the binary limit by its header', body: { input_ids: Array(312).fill(7) }, headers: { accept: MEDIA_TYPES.npy }, expected: [413, 'response_too_large', null], says: '10112' },
  { name: 'a window of 2^31 − 1 slots', body: { text, context_length: 2 ** 31 - 1, tail: 'pad', position_embedding: 'none' }, headers: { accept: MEDIA_TYPES.raw }, expected: [413, 'response_too_large', null] },
]
