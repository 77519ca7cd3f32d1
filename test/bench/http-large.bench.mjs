import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { figure, times } from './harness/text.mjs'
import { hammer, hasWrk, warmUp } from './harness/wrk.mjs'
import { FORMATS, firstTokens, post, toFastapi } from './http/requests.mjs'
import { startFastapi, startLimits } from './http/servers.mjs'

const CONTEXT_LENGTH = 1024
const WINDOWS = 16
const ANSWER_BYTES = WINDOWS * CONTEXT_LENGTH * 256 * 4
const CONNECTIONS = 2
/** As one writes it, with `tobytes`; and without that copy. */
const THEIRS = ['binary', 'view']

/** Text to [16, 1024, 256], 16 MiB, one thread each: GB/s of the answers. */
export async function bench({ rounds, quick, say }) {
  if (!hasWrk) say('wrk is absent: a slower client of our own measures.')
  const service = await startService({ env: { THREADS: '1' } })
  const limits = await startLimits(ANSWER_BYTES)
  const fastapi = await startFastapi()
  if (fastapi.absent) say(`FastAPI is absent: ${fastapi.absent}`)
  const load = { seconds: quick ? 1 : 3, connections: CONNECTIONS }
  const text = await firstTokens(CONTEXT_LENGTH + WINDOWS)
  const body = { text, context_length: CONTEXT_LENGTH, stride: 1 }
  let figures
  try {
    const requests = { Inlet: FORMATS.binary.own(service, body), ready: post(`${limits.url}/ready`, body) }
    if (!fastapi.absent) for (const format of THEIRS) requests[format] = toFastapi(fastapi, body, format)
    for (const request of Object.values(requests)) await warmUp(request, load)
    const speedOf = (request) => async () => (await hammer(request, load)).bytesPerSecond / 1e9
    figures = await takeTurns(
      rounds,
      Object.fromEntries(Object.entries(requests).map(([name, request]) => [name, speedOf(request)])),
    )
  } finally {
    await Promise.all([service.stop(), limits.stop(), fastapi.stop()])
  }
  const beside = (name) => figures[name] && ratio(figures.Inlet, figures[name])
  const cell = (name) => (figures[name] ? `${figure(median(figures[name]))}, ${times(beside(name))}` : '–')
  const floors = [atLeast('16 MiB answers, beside a ready buffer', beside('ready').middle, 0.5)]
  for (const name of THEIRS)
    if (figures[name])
      floors.push(atLeast(`16 MiB answers, beside FastAPI (${name})`, beside(name).middle, 2.5))
  return {
    title: 'Text to 16 MiB of binary answer over HTTP, GB/s',
    notes: [
      'Text to [16, 1024, 256], one thread each. The rival route parses the same body and sends a buffer made before.',
      fastapi.absent ? '' : `${fastapi.versions}; with \`tobytes\`, and with a view instead.`,
    ],
    head: ['Inlet', 'a ready buffer', fastapi.name ?? 'FastAPI', 'without its copy'],
    rows: [[figure(median(figures.Inlet)), ...['ready', ...THEIRS].map(cell)]],
    floors,
  }
}
