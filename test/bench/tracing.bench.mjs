import { once } from 'node:events'
import { createServer } from 'node:http'
import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { hammer, hasWrk } from './harness/wrk.mjs'
import { FORMATS, firstTokens } from './http/requests.mjs'

const OF_UNTRACED = 0.9
const CONNECTIONS = 8

/** 33 tokens of text to [8, 4, 256], one thread: requests a second with and without traces. */
export async function bench({ rounds, quick, say }) {
  if (!hasWrk) say('wrk is absent: a slower client of our own measures.')
  const collector = await startCollector()
  const traced = { THREADS: '1', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const services = {
    off: await startService({ env: { THREADS: '1' } }),
    on: await startService({ env: traced }),
    none: await startService({ env: { ...traced, OTEL_TRACES_SAMPLER: 'always_off' } }),
  }
  const load = { seconds: quick ? 1 : 3, connections: CONNECTIONS }
  try {
    const body = { text: await firstTokens(33), context_length: 4, stride: 4 }
    const requests = Object.entries(services).map(([name, service]) => [
      name,
      FORMATS.binary.own(service, body),
    ])
    for (const [, request] of requests) await hammer(request, { ...load, seconds: 1 }) // warms up
    const figures = await takeTurns(
      rounds,
      Object.fromEntries(
        requests.map(([name, request]) => [
          name,
          async () => (await hammer(request, load)).requestsPerSecond,
        ]),
      ),
    )
    const beside = (name) => ratio(figures[name], figures.off)
    const cell = (name) => `${figure(median(figures[name]))}, ${times(beside(name))}`
    say(`the collector got ${collector.bytes()} bytes`)
    if (collector.bytes() === 0 && !SMOKE) throw new Error('no trace has come')
    return {
      title: 'Traces: text to [8, 4, 256] over HTTP, requests a second',
      notes: [
        'One thread, binary answers. Traced: as many requests as are traced a second (docs/operations.md), to a collector that only reads.',
      ],
      head: ['untraced', 'traced', 'traced, none sampled'],
      rows: [[figure(median(figures.off)), cell('on'), cell('none')]],
      floors: [atLeast('8 × 4 × 256 traced, beside untraced', beside('on').middle, OF_UNTRACED)],
    }
  } finally {
    await Promise.all([...Object.values(services).map((service) => service.stop()), collector.stop()])
  }
}

/** Takes whatever comes, and counts its bytes. */
async function startCollector() {
  let bytes = 0
  const server = createServer(async (request, response) => {
    for await (const chunk of request) bytes += chunk.length
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    bytes: () => bytes,
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
