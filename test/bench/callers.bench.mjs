import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atLeast, atMost } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { hammer } from './harness/wrk.mjs'
import { FORMATS, firstTokens } from './http/requests.mjs'

const run = promisify(execFile)
const PACER = fileURLToPath(new URL('callers/pacer.mjs', import.meta.url))
const PATH = '/v1/input-embeddings'

const FREE = { name: 'free', key: 'free-key' }
const POLITE = { name: 'polite', key: 'polite-key', requests_per_second: 1000 }
const LIMITED = {
  name: 'limited',
  key: 'limited-key',
  requests_per_second: 1e9,
  bytes_per_second: 1e12,
  tokens_per_second: 1e12,
}
const GREEDY = { name: 'greedy', key: 'greedy-key' }
/** What the greedy caller sends a second, and what it may send where it has a rate. */
const OFFERED = 200
const ALLOWED = 2
const POLITE_PER_SECOND = 100

const MOST_TIMES = 2
const OF_NO_KEYS = 0.95

/** What knowing callers costs each request, and what a caller over its rate costs another one. */
export async function bench({ rounds, quick, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-callers-'))
  const file = (name, ...callers) => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify({ callers }))
    return path
  }
  const rated = { ...GREEDY, requests_per_second: ALLOWED }
  const services = {
    open: await startService({ env: { THREADS: '1' } }),
    keyed: await startService({
      env: { THREADS: '1', API_KEYS_FILE: file('with', FREE, POLITE, LIMITED, rated) },
    }),
    unrated: await startService({ env: { THREADS: '1', API_KEYS_FILE: file('without', POLITE, GREEDY) } }),
  }
  try {
    const small = { text: await firstTokens(33), context_length: 4, stride: 4 }
    const large = { text: await firstTokens(2000), context_length: 256, stride: 256 }
    const [cost, costFloor] = await measureCost(small)
    const [beside, besideFloor] = await measureBeside(small, large)
    return {
      title: 'Callers: their cost, and one over its rate',
      notes: [
        `33 tokens to [8, 4, 256], one thread. The greedy caller offers ${OFFERED} requests of 2,000 tokens a second and may send ${ALLOWED}; the polite one sends ${POLITE_PER_SECOND} small ones a second.`,
      ],
      head: ['what', 'figure', 'beside the first'],
      rows: [...cost, ...beside],
      floors: [...costFloor, ...besideFloor],
    }
  } finally {
    await Promise.all(Object.values(services).map((service) => service.stop()))
    rmSync(folder, { recursive: true })
  }

  async function measureCost(body) {
    const load = { seconds: quick ? 1 : 3, connections: 8 }
    const as = (service, key) => {
      const request = FORMATS.binary.own(service, body)
      const headers =
        key === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${key}` }
      return { ...request, headers }
    }
    const requests = {
      'no keys': as(services.open),
      'a key without rates': as(services.keyed, FREE.key),
      'a key with three rates': as(services.keyed, LIMITED.key),
    }
    for (const request of Object.values(requests)) await hammer(request, { ...load, seconds: 1 }) // warms up
    const figures = await takeTurns(
      rounds,
      Object.fromEntries(
        Object.entries(requests).map(([name, request]) => [
          name,
          async () => (await hammer(request, load)).requestsPerSecond,
        ]),
      ),
    )
    const share = (name) => ratio(figures[name], figures['no keys'])
    const rows = Object.keys(requests).map((name) => {
      return [`${name}, requests a second`, figure(median(figures[name])), times(share(name))]
    })
    for (const row of rows) say(row.join(' | '))
    const what = 'requests a second with a key without rates, beside no keys'
    return [rows, [atLeast(what, share('a key without rates').middle, OF_NO_KEYS)]]
  }

  async function measureBeside(small, large) {
    const seconds = SMOKE ? 1 : quick ? 3 : 10
    const pace = async (service, { key }, perSecond, body) => {
      const args = [PACER, service.url + PATH, key, perSecond, seconds, JSON.stringify(body)]
      return JSON.parse((await run(process.execPath, args.map(String))).stdout)
    }
    const polite = (service) => pace(service, POLITE, POLITE_PER_SECOND, small)
    const both = async (service) => {
      const [own, greedy] = await Promise.all([polite(service), pace(service, GREEDY, OFFERED, large)])
      say(`greedy: ${JSON.stringify(greedy.statuses)}, polite: ${JSON.stringify(own.statuses)}`)
      return own
    }
    await polite(services.keyed)
    await polite(services.unrated)
    const figures = await takeTurns(rounds, {
      alone: async () => (await polite(services.keyed)).p99,
      'beside one over its rate': async () => (await both(services.keyed)).p99,
      'beside one without a rate': async () => (await both(services.unrated)).p99,
    })
    const share = (name) => ratio(figures[name], figures.alone)
    const rows = Object.keys(figures).map((name) => {
      return [`polite caller ${name}, p99 in ms`, figure(median(figures[name])), times(share(name))]
    })
    for (const row of rows) say(row.join(' | '))
    const what = 'p99 of a caller beside one over its rate, of its p99 alone'
    return [rows, [atMost(what, share('beside one over its rate').middle, MOST_TIMES, '×')]]
  }
}
