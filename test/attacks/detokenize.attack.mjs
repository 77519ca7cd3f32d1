import { jsonPost, MIB, repeated } from './harness/bodies.mjs'

// Ids to text: a body of ids is up to 64 times as much text, and each id is looked up.

/** A token of GPT-2 with 128 bytes of text. */
const LONG = '35496'
const LARGE = { MAX_JSON_BODY_BYTES: String(32 * MIB) }
const ids = (id, limit) => () => repeated('{"input_ids":[', id, ']}', { limit })

export const name = 'detokenize'
export const about = '4 million ids in one request; 32 MiB of ids whose text is over 700 MB'
export const variants = {
  '4 million ids': { body: ids('0', 8 * MIB) },
  '4 million ids, the last one unknown': {
    body: () => repeated('{"input_ids":[', '0', ',50257]}', {}),
    refused: true,
  },
  'long tokens': { body: ids(LONG, 8 * MIB), env: { MAX_JSON_RESPONSE_BYTES: String(256 * MIB) } },
  '32 MiB of ids': { body: ids('0', 32 * MIB), env: LARGE },
  '32 MiB of long tokens': { body: ids(LONG, 32 * MIB), env: LARGE, refused: true },
  'not UTF-8': { body: ids('222', 8 * MIB) },
}

export const prepare = ({ body }) => jsonPost('/v1/detokenize', body(), 'gzip')

export async function send(service, request) {
  return { answers: [await service.call(request)] }
}

export function expect({ answers }, must, { refused }) {
  if (refused) must.answered(answers, ['4xx'])
  else must.answered(answers, ['200', '413 response_too_large'])
}
