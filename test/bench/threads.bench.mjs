import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { figure, times } from './harness/text.mjs'
import { hammer, hasWrk } from './harness/wrk.mjs'

const TEXT_BYTES = 256_000
const CONNECTIONS = 8

/** Two threads beside one, on work that is all in the service: much text in, few numbers out. */
export async function bench({ rounds, quick, say }) {
  if (!hasWrk) say('wrk is absent: a slower client of our own measures.')
  const one = await startService({ env: { THREADS: '1' } })
  const two = await startService({ env: { THREADS: '2' } })
  const letters = Buffer.from(Array.from({ length: TEXT_BYTES }, () => 0x61 + Math.floor(Math.random() * 26)))
  const requestOf = ({ url }) => ({
    url: `${url}/v1/input-embeddings?context_length=1024&outputs=window_starts`,
    body: letters,
    headers: { 'content-type': 'text/plain', accept: 'application/octet-stream' },
  })
  const load = { seconds: quick ? 2 : 5, connections: CONNECTIONS }
  const speedOf = (service) => async () => (await hammer(requestOf(service), load)).requestsPerSecond
  let figures
  try {
    for (const service of [one, two]) await speedOf(service)()
    figures = await takeTurns(rounds, { one: speedOf(one), two: speedOf(two) })
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
  const gain = ratio(figures.two, figures.one)
  return {
    title: 'Two threads beside one, requests a second',
    notes: [
      `${TEXT_BYTES / 1000} KB of random letters to \`window_starts\`: the client has next to nothing to do.`,
    ],
    head: ['one thread', 'two threads', 'ratio'],
    rows: [[figure(median(figures.one)), figure(median(figures.two)), times(gain)]],
    floors: [atLeast('two threads beside one', gain.middle, 1.7)],
  }
}
