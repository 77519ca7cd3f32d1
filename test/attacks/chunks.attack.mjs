import { EMBEDDINGS, RAW } from './harness/bodies.mjs'
import { exchange } from './harness/calls.mjs'
import { head } from './harness/connections.mjs'

// A body in chunks of one byte: six bytes on the wire and a call for each.

const MOST = 2_000_000
const head1 = (path, type) =>
  head('POST', path, { ...RAW, 'Content-Type': type, 'Transfer-Encoding': 'chunked', Connection: 'close' })
const chunked = (before, bytes, after) =>
  Buffer.concat([
    Buffer.from(before),
    Buffer.alloc(bytes * 6, '1\r\na\r\n'),
    Buffer.from(`${after}0\r\n\r\n`),
  ])

const JSON_BEGIN = '{"context_length":4,"outputs":["window_starts"],"text":"'

export const name = 'chunks'
export const about = 'a body of two million chunks of one byte'
export const variants = {
  text: {
    parts: () => [
      head1(`${EMBEDDINGS}?context_length=4&outputs=window_starts`, 'text/plain'),
      chunked('', MOST, ''),
    ],
  },
  JSON: {
    parts: () => [
      head1(EMBEDDINGS, 'application/json'),
      chunked(`${JSON_BEGIN.length.toString(16)}\r\n${JSON_BEGIN}\r\n`, MOST, '2\r\n"}\r\n'),
    ],
  },
  'long extensions of a chunk': {
    parts: () => [
      head1(`${EMBEDDINGS}?context_length=4`, 'text/plain'),
      Buffer.from(`1;${'x'.repeat(4_000_000)}\r\na\r\n0\r\n\r\n`),
    ],
  },
}
export const quick = ['long extensions of a chunk']

export const prepare = ({ parts }) => parts()

export async function send(service, parts) {
  return { answers: [await exchange(service.port, parts)] }
}

export function expect({ answers }, must) {
  must.answered(answers, ['200', '4xx'])
}
