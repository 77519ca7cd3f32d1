import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { figure, times } from './harness/text.mjs'
import { hammer, hasWrk } from './harness/wrk.mjs'

const TEXT_BYTES = 256_000
const CONNECTIONS = 8
/** Turns of each, short ones: what else the machine does hits all alike. */
const TURNS = 2
/** No request is refused for its wait: on a busy machine eight of them wait longer than the default allows. */
const QUEUE_TIMEOUT_MS = '600000'

/**
 * Two threads beside one, on work that is all in the service: much text in, few numbers out. Two processes of one
 * thread each share only the machine: what they gain is what it has to give.
 */
export async function bench({ rounds, quick, say }) {
  if (!hasWrk) say('wrk is absent: a slower client of our own measures.')
  const [one, two, other] = await Promise.all(
    ['1', '2', '1'].map((THREADS) => startService({ env: { THREADS, QUEUE_TIMEOUT_MS } })),
  )
  const letters = Buffer.from(Array.from({ length: TEXT_BYTES }, () => 0x61 + Math.floor(Math.random() * 26)))
  const requestOf = ({ url }) => ({
    url: `${url}/v1/input-embeddings?context_length=1024&outputs=window_starts`,
    body: letters,
    headers: { 'content-type': 'text/plain', accept: 'application/octet-stream' },
  })
  const seconds = quick ? 1 : 2
  const speedOf = (...services) => {
    const load = { seconds, connections: CONNECTIONS / services.length }
    return async () => {
      const loads = await Promise.all(services.map((service) => hammer(requestOf(service), load)))
      return loads.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0)
    }
  }
  let figures
  try {
    for (const service of [one, two, other]) await speedOf(service)()
    figures = await takeTurns(TURNS * rounds, {
      one: speedOf(one),
      two: speedOf(two),
      both: speedOf(one, other),
    })
  } finally {
    await Promise.all([one.stop(), two.stop(), other.stop()])
  }
  const gain = ratio(figures.two, figures.one)
  const most = ratio(figures.both, figures.one)
  const share = ratio(figures.two, figures.both)
  return {
    title: 'Two threads beside one, requests a second',
    notes: [
      `${TEXT_BYTES / 1000} KB of random letters to \`window_starts\`: the client has next to nothing to do.`,
    ],
    head: ['one thread', 'two threads', 'two processes', 'threads beside processes'],
    rows: [
      [
        figure(median(figures.one)),
        `${figure(median(figures.two))}, ${times(gain)}`,
        `${figure(median(figures.both))}, ${times(most)}`,
        times(share),
      ],
    ],
    floors: [atLeast('two threads beside two processes', share.middle, 0.95)],
  }
}
