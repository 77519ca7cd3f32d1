import { call } from './calls.mjs'

/** Bytes of an answer that are read: what is wrong with an answer without end shows before. */
const MOST_BYTES = 128 * 2 ** 20

/**
 * Sends one request, for attacks whose variants are single requests.
 *
 * @returns { answers, said }; `said`: what went in and what came out, `8,388,606 bytes → 200, 34,000,120 bytes`
 */
export async function sendOne(service, request) {
  const answer = await call(service.port, { leaveAfter: MOST_BYTES, ...request })
  const came = answer.code ?? `${answer.bytes.toLocaleString('en-US')} bytes`
  const sent = Buffer.byteLength(request.body ?? '')
  return {
    answers: [answer],
    said: `${sent.toLocaleString('en-US')} bytes → ${answer.status}, ${came}`,
    sent,
  }
}

/** The answers that a variant allows; without `allowed`, 200. */
export function expectAllowed({ answers }, must, { allowed = ['200'] }) {
  must.answered(answers, allowed)
}
