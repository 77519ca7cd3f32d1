import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { atMost } from './harness/floors.mjs'
import { processorSecondsOf } from './harness/processor-time.mjs'
import { median } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure } from './harness/text.mjs'
import { firstTokens } from './http/requests.mjs'

const THREADS = SMOKE ? [1, 2] : [1, 2, 4, 8]
const REQUESTS = SMOKE ? 10 : 400
/** Connections of so many requests for each thread, before the first figure: a thread gets its share by chance. */
const WARM_UP = SMOKE ? 1 : 12
/** Changes of the shared counts for a small request: its pages are taken and given back, two words each. */
const CHANGES = 4
/** Threads rest when they take less than a twentieth of a core for so long. */
const REST_SECONDS = 0.5
const ROUNDS_OF_CHANGES = SMOKE ? 1e4 : 2e6
const SCRIPT = new URL('./threads/ledger-worker.mjs', import.meta.url)

/**
 * What threads cost one another where they do nothing: all wait for the same listener, so that a new connection may wake
 * all of them; and what a change of the counts that they share costs while others change them too. From these follows
 * from how many cores on the sharing would be felt.
 */
export async function bench({ rounds, say }) {
  const body = JSON.stringify({ text: await firstTokens(33), context_length: 4, stride: 4 })
  const rows = []
  for (const threads of THREADS) {
    const service = await startService({ env: { THREADS: String(threads) } })
    try {
      const kept = []
      const fresh = []
      for (let i = 0; i < WARM_UP * threads; i++) await processorOf(service, body, true)
      await rested(service)
      for (let round = 0; round < rounds; round++) {
        kept.push(await processorOf(service, body, true))
        fresh.push(await processorOf(service, body, false))
      }
      rows.push([String(threads), median(kept), median(fresh)])
      say(rows.at(-1).join(' | '))
    } finally {
      await service.stop()
    }
  }
  const changes = {}
  for (const threads of [1, 2]) {
    const figures = []
    for (let round = 0; round < rounds; round++) figures.push(await nanosecondsOfChange(threads))
    changes[threads] = median(figures)
  }
  const [, first, firstFresh] = rows[0]
  const [last, most, mostFresh] = rows.at(-1)
  const herd = ((mostFresh - firstFresh) * 1000) / (last - rows[0][0])
  const perRequest = CHANGES * changes[2]
  return {
    title: 'What threads cost one another: processor time of a small request, by the number of threads',
    notes: [
      'One client, one request after the other; all threads but one only wait. On kept connections, and on a new one each.',
      `A further thread that waits costs a new connection ${figure(herd)} µs. A change of the shared counts takes`,
      `${figure(changes[1])} ns, ${figure(changes[2])} ns while another thread does the same without pause; a small request makes ${CHANGES}: they alone would allow`,
      `${figure(1e9 / perRequest)} requests a second, as many as ${figure(1e6 / perRequest / (1 / first))} cores serve that take ${figure(first)} ms each.`,
    ],
    head: ['threads', 'kept connection, ms', 'new connection, ms'],
    rows: rows.map(([threads, ...times]) => [threads, ...times.map(figure)]),
    floors: [atMost(`${last} threads beside one, on kept connections`, most / first, 1.25, '×')],
  }
}

/** Waits until the threads have nothing to make ready any more. */
async function rested({ child }) {
  for (let before = 0, now = 1; now - before > REST_SECONDS / 20; now = processorSecondsOf(child.pid)) {
    before = processorSecondsOf(child.pid)
    await delay(1000 * REST_SECONDS)
  }
}

/** Milliseconds of the service's processor time for a request. */
async function processorOf({ url, child }, body, keepAlive) {
  const agent = new Agent({ keepAlive, maxSockets: 1 })
  const before = processorSecondsOf(child.pid)
  for (let i = 0; i < REQUESTS; i++) await answered(`${url}/v1/input-embeddings`, body, agent)
  const used = processorSecondsOf(child.pid) - before
  agent.destroy()
  return (1000 * used) / REQUESTS
}

function answered(url, body, agent) {
  const headers = { 'content-type': 'application/json', accept: 'application/octet-stream' }
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode}`))
      response.resume().on('end', resolve)
    })
      .on('error', reject)
      .end(body)
  })
}

/** Nanoseconds that a change of the ledger takes a thread, of so many that change it without pause. */
async function nanosecondsOfChange(threads) {
  const memory = new SharedArrayBuffer(4096)
  const times = Array.from({ length: threads }, (_, thread) => {
    const worker = new Worker(SCRIPT, { workerData: { memory, thread, threads, rounds: ROUNDS_OF_CHANGES } })
    return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  })
  return median(await Promise.all(times))
}
