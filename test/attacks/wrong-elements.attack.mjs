import { EMBEDDINGS, jsonPost, repeated } from './harness/bodies.mjs'

// Arrays of millions of wrong elements: one of them is enough to refuse the request.

const TOKENIZE = '/v1/tokenize'
const list = (path, before, element) => ({ path, body: () => repeated(before, element, ']}') })

export const name = 'wrong-elements'
export const about = '{"text":["","",…]}, outputs:[0,…], allowed_special:[0,…]: an error for every element'
export const variants = {
  'empty texts': list(EMBEDDINGS, '{"text":[', '""'),
  'no texts': list(EMBEDDINGS, '{"text":[', '0'),
  outputs: list(EMBEDDINGS, '{"text":"a","outputs":[', '0'),
  special: list(EMBEDDINGS, '{"text":"a","allowed_special":[', '0'),
  'special, tokenize': list(TOKENIZE, '{"text":"a","allowed_special":[', '0'),
  'empty documents': list(EMBEDDINGS, '{"input_ids":[', '[]'),
  'ids, detokenize': list('/v1/detokenize', '{"input_ids":[', '-1'),
}
export const bounds = { rssBytes: 600 * 2 ** 20 }

export const prepare = ({ path, body }) => jsonPost(path, body(), 'br')

export async function send(service, request) {
  return { answers: [await service.call(request)] }
}

export function expect({ answers }, must) {
  must.answered(answers, ['4xx'])
}
