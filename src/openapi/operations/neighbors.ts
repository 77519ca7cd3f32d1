import { ref } from '../json.js'
import { jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { ROWS_ERRORS } from './error-lists.js'

const OF_DEFAULT = { model: 'default' }

export const neighbors: Operation = {
  id: 'findNeighbors',
  method: 'post',
  path: '/v1/models/{model}/neighbors',
  tag: 'Embeddings',
  summary: 'The rows nearest to given ones',
  description:
    'Exact: the whole table is searched, scores are float64, rows that are equally near come by id. A query is a row of the ' +
    'table, the mean of rows (a list of ids, a text), or numbers; a row is among its own neighbours. Rows with numbers that ' +
    'are not finite are left out.',
  parameters: ['model_path'],
  body: { 'application/json': ref('schemas', 'NeighborsRequest') },
  answer: jsonAnswer('NeighborsAnswer', 'For each query its neighbours, the nearest first.', [
    'Content-Length',
  ]),
  errors: ROWS_ERRORS,
  examples: [
    jsonExample('row', 'Rows near that of one token', { input_ids: [15496], k: 2 }, OF_DEFAULT),
    jsonExample(
      'text',
      'Rows near the mean of a text’s',
      { text: 'Hello, world!', k: 2, metric: 'euclidean' },
      OF_DEFAULT,
    ),
    jsonExample('token_out_of_range', 'An id without a row', { input_ids: [50257] }, OF_DEFAULT),
  ],
}
