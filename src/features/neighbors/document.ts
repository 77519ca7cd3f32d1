import { z } from 'zod'
import { neighborsRequest } from '../../first-layer/neighbors-request.js'
import { answeredModel, component, count, object, text } from '../../service/document/components.js'
import { answer, type Operations, ROWS_ERRORS } from '../../service/document/operation.js'

export { default as examples } from './examples.json' with { type: 'json' }
export const tag = 'Embeddings'

component(
  'NeighborsRequest',
  neighborsRequest,
  'One of `input_ids`, `text` and `vector` is given; `text` not for positions.',
)

const neighbor = object('Neighbor', {
  id: count('Row of the table: a token, or a position.'),
  text: text('The token; null where it is no whole text.').nullable(),
  score: z.number().describe('Cosine, dot product, or Euclidean distance.'),
})

export const neighborsAnswer = object('NeighborsAnswer', {
  ...answeredModel,
  neighbors: z.array(z.array(neighbor)).describe('For each query, the nearest first.'),
})

export const operations: Operations = {
  findNeighbors: {
    summary: 'The rows nearest to given ones',
    description:
      'Exact: the whole table is searched, scores are float64, rows that are equally near come by id. A query is a row of the table, the mean of rows (a list of ids, a text), or numbers; a row is among its own neighbours. Rows with numbers that are not finite are left out.',
    answers: {
      200: answer(neighborsAnswer, 'For each query its neighbours, the nearest first.', ['Content-Length']),
    },
    errors: ROWS_ERRORS,
  },
}
