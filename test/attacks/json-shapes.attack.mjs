import { EMBEDDINGS, JSON_LIMIT, jsonPost, numbered, repeated } from './harness/bodies.mjs'

// JSON that is dear to parse: deep, many keys, long scalars. Refused as soon as it is known to be wrong.

const room = JSON_LIMIT - 64
const keys = () => numbered('{"text":"a",', (i) => `"${(i + 46_656).toString(36)}":0`, '}')
const nested = (open, close) => () => Buffer.from(open.repeat(room / (open.length + close.length)))

export const name = 'json'
export const about = 'depth of 4 million; 1.2 million unknown keys; numbers and strings of 8 MB'
export const variants = {
  'deep arrays': { body: () => Buffer.from(`{"input_ids":${'['.repeat(room / 2)}${']'.repeat(room / 2)}}`) },
  'deep arrays, open': { body: nested('[', '') },
  'nothing but deep arrays': { body: () => Buffer.from('['.repeat(room / 2) + ']'.repeat(room / 2)) },
  'deep objects': {
    body: () => Buffer.from(`${'{"a":'.repeat(room / 6)}0${'}'.repeat(room / 6)}`),
  },
  'deep in an option': {
    body: () =>
      Buffer.from(`{"text":"a","position_embedding":${'{"a":'.repeat(room / 6)}0${'}'.repeat(room / 6)}}`),
  },
  'unknown keys': { body: keys },
  'one key a million times': {
    body: () => repeated('{"text":"a","outputs":["input_ids"],', '"seed":0', '}'),
    allowed: ['200', '4xx'],
  },
  'options of a scheme': {
    body: () =>
      numbered(
        '{"text":"a","position_embedding":{"type":"rope",',
        (i) => `"${(i + 46_656).toString(36)}":0`,
        '}}',
      ),
  },
  'a long key': { body: () => Buffer.from(`{"${'k'.repeat(room)}":0}`) },
  'a long number': { body: () => Buffer.from(`{"input_ids":[${'1'.repeat(room)}]}`) },
  'a long exponent': { body: () => Buffer.from(`{"input_ids":[1e${'1'.repeat(room)}]}`) },
  'a long model name': { body: () => Buffer.from(`{"text":"a","model":"${'m'.repeat(room)}"}`) },
  'escapes to its end': {
    body: () => Buffer.from(`{"text":"a","model":"${'\\u0041'.repeat(room / 6)}"}`),
  },
  'a lone surrogate at its end': {
    body: () => Buffer.from(`{"text":"${'\\ud83c\\udf0a'.repeat(room / 12 - 1)}\\ud800"}`),
  },
  'broken at its end': { body: () => repeated('{"input_ids":[', '7', '}') },
  'only blanks': { body: () => Buffer.from(`{"text":"a"${' '.repeat(room)}`) },
}
export const bounds = { rssBytes: 600 * 2 ** 20 }

export const prepare = ({ body }) => jsonPost(EMBEDDINGS, body(), 'gzip')

export async function send(service, request) {
  return { answers: [await service.call(request)] }
}

export function expect({ answers }, must, { allowed = ['4xx'] }) {
  must.answered(answers, allowed)
}
