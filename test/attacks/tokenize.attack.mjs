import { JSON_LIMIT, jsonPost, MIB } from './harness/bodies.mjs'

// Text to a JSON answer of many times its size: 90 bytes for each token, and a token may be a part of a character.

const room = JSON_LIMIT - 64
const text = (unit) => () => Buffer.from(`{"text":"${unit.repeat(room / Buffer.byteLength(unit))}"}`)

export const name = 'tokenize'
export const about =
  '2 MiB of emoji (each several tokens); 2 MiB of one-byte tokens: a hundred megabytes of JSON'
export const variants = {
  '2 MiB of emoji': { body: text('🌊'), served: true },
  '2 MiB of CJK': { body: text('漢'), served: true },
  '2 MiB of Devanagari': { body: text('क'), served: true },
  '2 MiB of prose': { body: text('The quick brown fox jumps over the lazy dog. '), served: true },
  '2 MiB of one-byte tokens': { body: text('qx') },
  '2 MiB of one letter': { body: text('a') },
  '65,536 texts of a token': {
    body: () => Buffer.from(`{"text":[${Array(65_536).fill('"a"')}]}`),
    served: true,
  },
  '65,536 texts of 16 bytes': {
    body: () => Buffer.from(`{"text":[${Array(65_536).fill('"The quick brown "')}]}`),
    served: true,
  },
  '2 MiB of one word, cl100k_base': {
    body: () => Buffer.from(`{"encoding":"cl100k_base","text":"${'qxzj'.repeat(room / 4)}"}`),
  },
}

export const prepare = ({ body }) => jsonPost('/v1/tokenize', body())

export async function send(service, request) {
  const answer = await service.call(request)
  const rate = answer.bytes / answer.ms / 1000
  const said = `${answer.status} ${answer.code ?? `${(answer.bytes / 1e6).toFixed(0)} MB, ${rate.toFixed(1)} MB/s`}`
  return { answers: [answer], said }
}

/** The answer may not be over MAX_JSON_RESPONSE_BYTES: then it is refused before it is begun. */
export function expect({ answers }, must, { served }) {
  must.answered(answers, served ? ['200'] : ['200', '413 response_too_large'])
  must.atMost('the answer', answers[0].bytes / MIB, 256, 'MiB')
}
