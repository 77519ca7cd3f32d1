import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { figure, times } from './harness/text.mjs'
import { hammer, hasWrk, warmUp } from './harness/wrk.mjs'
import { FORMATS, firstTokens, post, toFastapi } from './http/requests.mjs'
import { startFastapi, startLimits } from './http/servers.mjs'

/**
 * The empty route takes 80,000 instructions of the serving thread, the answer in binary 285,000 (`instructions`), and both
 * as much of the kernel's sockets: a third is what stands, twice that would leave nothing for tokenizing and checks.
 */
const OF_EMPTY = { binary: 0.33, base64: 0.25, JSON: 0.12 }
const OF_FASTAPI = 3
const CONNECTIONS = 8

/** 33 tokens of text to [8, 4, 256], one thread each: requests a second. */
export async function bench({ rounds, quick, say }) {
  if (!hasWrk) say('wrk is absent: a slower client of our own measures.')
  const service = await startService({ env: { THREADS: '1' } })
  const limits = await startLimits()
  const fastapi = await startFastapi()
  if (fastapi.absent) say(`FastAPI is absent: ${fastapi.absent}`)
  const load = { seconds: quick ? 1 : 2, connections: CONNECTIONS }
  const rows = []
  const floors = []
  try {
    const body = { text: await firstTokens(33), context_length: 4, stride: 4 }
    for (const [format, { own, theirs }] of Object.entries(FORMATS)) {
      const requests = { Inlet: own(service, body), empty: post(`${limits.url}/empty`, body) }
      if (!fastapi.absent) for (const name of theirs) requests[name] = toFastapi(fastapi, body, name)
      for (const request of Object.values(requests)) await warmUp(request, load)
      const figures = await takeTurns(
        rounds,
        Object.fromEntries(
          Object.entries(requests).map(([name, request]) => [
            name,
            async () => (await hammer(request, load)).requestsPerSecond,
          ]),
        ),
      )
      const beside = (name) => figures[name] && ratio(figures.Inlet, figures[name])
      const cell = (name) =>
        figures[name] ? `${figure(median(figures[name]))}, ${times(beside(name))}` : '–'
      rows.push([format, figure(median(figures.Inlet)), ...['empty', theirs[0], theirs[1]].map(cell)])
      say(rows.at(-1).join(' | '))
      floors.push(
        atLeast(`8 × 4 × 256 ${format}, beside an empty route`, beside('empty').middle, OF_EMPTY[format]),
      )
      for (const name of theirs) {
        if (figures[name]) {
          floors.push(
            atLeast(`8 × 4 × 256 ${format}, beside FastAPI (${name})`, beside(name).middle, OF_FASTAPI),
          )
        }
      }
    }
  } finally {
    await Promise.all([service.stop(), limits.stop(), fastapi.stop()])
  }
  return {
    title: 'Text to [8, 4, 256] over HTTP, requests a second',
    notes: [
      '33 tokens of text, one thread each. The empty route parses the same body and answers `{}`.',
      fastapi.absent ? '' : `${fastapi.versions}; as JSON with orjson, and as FastAPI makes it.`,
    ],
    head: [
      'answer',
      'Inlet',
      'a Fastify route that does nothing',
      fastapi.name ?? 'FastAPI',
      'FastAPI’s own JSON',
    ],
    rows,
    floors,
  }
}
