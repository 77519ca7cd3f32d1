import { EMBEDDINGS, jsonPost, MIB, packed, repeated, textPost } from './harness/bodies.mjs'
import { callAll } from './harness/calls.mjs'

// A few packed bytes that unpack to far more than any limit: unpacked only as far as the limit, and not many at once.

const blanks = (mib) => Buffer.alloc(mib * MIB, ' ')
const gigabyte = (coding) => () => packed(blanks(1024), coding)

/** Members of gzip one after the other: what is packed grows too, slowly. */
const members = () => {
  const member = packed(blanks(1), 'gzip')
  return Buffer.alloc(member.length * 1024, member)
}

export const name = 'zip-bombs'
export const about = 'a gigabyte in 1 KB or 1 MB, as JSON and as text, fifty at once'
export const variants = {
  'JSON, br': { body: gigabyte('br'), coding: 'br', json: true },
  'JSON, gzip': { body: gigabyte('gzip'), coding: 'gzip', json: true },
  'text, br': { body: gigabyte('br'), coding: 'br' },
  'text, gzip members': { body: members, coding: 'gzip' },
  'within the limit': {
    body: () => packed(repeated('{"text":"', ' ', '"}', { between: '' }), 'br'),
    coding: 'br',
    json: true,
    fits: true,
  },
  'packed twice': { body: () => packed(packed(blanks(64), 'br'), 'br'), coding: 'br, br' },
}
export const limitMs = 180_000
const AT_ONCE = 50

export function prepare({ body, coding, json }) {
  const request = json ? jsonPost(EMBEDDINGS, body()) : textPost('context_length=4', body())
  return { ...request, headers: { ...request.headers, 'Content-Encoding': coding } }
}

export async function send(service, request) {
  return { answers: await callAll(service.port, AT_ONCE, () => request) }
}

export function expect({ answers }, must, { fits }) {
  must.answeredOrRefused(answers, fits ? ['200', '4xx'] : ['4xx'])
}
