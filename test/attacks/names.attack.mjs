import { EMBEDDINGS, jsonPost, numbered } from './harness/bodies.mjs'
import { callAll } from './harness/calls.mjs'

// Lists of distinct names: whoever looks each one up among all before it takes the square of their number.

const names = (before, after, count) =>
  numbered(before, (i) => `"${(i + 46_656).toString(36)}"`, after, { count })
const outputs = (count) => names('{"text":"a","outputs":[', ']}', count)
const special = (count) => names('{"text":"a","allowed_special":[', ']}', count)

export const name = 'names'
export const about = '`outputs` of 60,000 and of a million distinct names'
export const variants = {
  '60,000 outputs': { body: () => outputs(60_000) },
  'a million outputs': { body: () => outputs(1_000_000) },
  'a million special tokens': { body: () => special(1_000_000) },
  // Each freezes a thread where one is enough: is the signal heard?
  'two threads, then SIGTERM': {
    body: () => outputs(1_000_000),
    count: 2,
    stops: true,
    env: { THREADS: '2', DRAIN_SECONDS: '1', SHUTDOWN_SECONDS: '5' },
  },
}
export const bounds = { rssBytes: 800 * 2 ** 20 }

export const prepare = ({ body, count = 1, stops }) => ({
  request: jsonPost(EMBEDDINGS, body()),
  count,
  stops,
})

export async function send(service, { request, count, stops }) {
  const calls = callAll(service.port, count, () => request)
  if (!stops) return { answers: await calls }
  await new Promise((resolve) => setTimeout(resolve, 500))
  const end = await service.stop(20_000)
  const said = end.hung ? 'SIGTERM unheard for 20 s' : `exit ${end.code} after ${Math.round(end.ms)} ms`
  return { answers: await calls, end, said, endsIt: true }
}

export function expect({ answers, end }, must) {
  if (end === undefined) return must.answered(answers, ['4xx'])
  must.that(!end.hung && end.code === 0, `SIGTERM must end it with 0: ${end.hung ? 'hung' : end.code}`)
  return must.atMost('the end', end.ms, 6000, 'ms')
}
