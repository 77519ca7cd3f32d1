import { fileURLToPath } from 'node:url'
import { installRivals, rivalVersion } from './harness/npm-rivals.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startServer } from './harness/service.mjs'
import { figure, times } from './harness/text.mjs'
import { hammer } from './harness/wrk.mjs'
import { firstTokens, post } from './http/requests.mjs'

const THREADS = 2
const CONNECTIONS = 8

/** Event loops on one descriptor beside one loop with a pool of threads: the same work, each thread with tables of its own. */
export async function bench({ rounds, quick, say }) {
  const absent = installRivals('piscina')
  if (absent) say(absent)
  const designs = { loops: 'loops.mjs', ...(absent ? {} : { pool: 'pool.mjs' }) }
  const servers = {}
  for (const [name, script] of Object.entries(designs)) {
    const path = fileURLToPath(new URL(`./threads/${script}`, import.meta.url))
    servers[name] = await startServer(
      (port) => ({ command: process.execPath, args: [path, port, THREADS].map(String) }),
      '/',
    )
  }
  const long = Array.from({ length: 100_000 }, () => String.fromCharCode(97 + Math.random() * 26)).join('')
  const bodies = {
    '[8, 4, 256]': { text: await firstTokens(33), context_length: 4, stride: 4 },
    '100 KB of letters to `window_starts`': { text: long, context_length: 1024, outputs: ['window_starts'] },
    '[16, 1024, 256], 16 MiB': { text: await firstTokens(1040), context_length: 1024, stride: 1 },
  }
  const rows = []
  try {
    for (const [work, body] of Object.entries(bodies)) {
      const speeds = Object.entries(servers).map(([name, { url }]) => {
        const load = { seconds: quick ? 2 : 4, connections: CONNECTIONS }
        return [name, async () => (await hammer(post(url, body), load)).requestsPerSecond]
      })
      for (const [, speed] of speeds) await speed()
      const figures = await takeTurns(rounds, Object.fromEntries(speeds))
      const cells = Object.keys(servers).map((name) => figure(median(figures[name])))
      rows.push([work, ...cells, absent ? '–' : times(ratio(figures.loops, figures.pool))])
      say(rows.at(-1).join(' | '))
    }
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()))
  }
  return {
    title: 'Event loops on one socket beside a pool of threads, requests a second',
    notes: [
      `${THREADS} threads for the work in both; the pool has its loop besides.`,
      absent ? '' : `piscina ${rivalVersion('piscina')}.`,
    ],
    head: ['answer', 'loops', 'one loop and a pool', 'ratio'],
    rows,
    floors: [],
  }
}
