import { setTimeout as delay } from 'node:timers/promises'
import { table } from '../bench/harness/text.mjs'
import { Expectations } from './harness/expectations.mjs'
import { duration } from './harness/figures.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'
import { hangingConnections, stoppingClients } from './harness/stopping-round.mjs'

const HELP = `SIGTERM under load, twenty times, each time a service of its own with connections beside that are idle, silent,
half-sent and, every other time, unread.

  node test/attacks/stopping.mjs [--rounds 20] [--clients 32]
  INLET_SERVER=/another/build/dist/server.js node test/attacks/stopping.mjs

Half of the clients open a connection for each request, half keep theirs, read "Connection: close" and act on it. They
go on through the drain, but for its last half second: by then an orchestrator has told them to go elsewhere. A download
that has begun is read on, slowly.

What must hold: not one request is lost, the download comes whole, /health/ready says no at once, every answer in the
drain says "Connection: close", the process exits with 0 within SHUTDOWN_SECONDS, and soon after the drain where only
silent connections are left.`

const flags = flagsOf(HELP, { rounds: 20, clients: 32, threads: 2, drain: 2, shutdown: 7 })
const must = new Expectations()
console.log(`${SERVER}, drain ${flags.drain} s, shutdown ${flags.shutdown} s`)
const rows = []
for (let round = 0; round < flags.rounds; round++) rows.push(await stopOnce(round))
const sum = (i) => rows.reduce((total, row) => total + row[i], 0)
console.log(`\n${table(HEAD(), rows)}\n`)
console.log(`lost in all: ${sum(2)} of ${sum(1)} on new connections, ${sum(4)} of ${sum(3)} on kept ones`)
end(must.failures)

function HEAD() {
  return [
    'unread',
    'on new connections',
    'lost',
    'on kept ones',
    'lost',
    'not told to close',
    'ready says',
    'download',
    'exit',
    'after',
  ]
}

async function stopOnce(round) {
  const unread = round % 2 === 1
  const service = await startService({
    env: {
      THREADS: String(flags.threads),
      DRAIN_SECONDS: String(flags.drain),
      SHUTDOWN_SECONDS: String(flags.shutdown),
    },
  })
  const hanging = await hangingConnections(service.port, { unread })
  const clients = stoppingClients(service.port, flags.clients)
  await delay(1500)
  clients.signal()
  const ending = service.stop(flags.shutdown * 1000 + 5000)
  await delay(200)
  const ready = await service.call({ path: '/health/ready', leaveAfterMs: 1000 })
  await delay(flags.drain * 1000 - 700)
  const { fresh, kept } = await clients.stop()
  const stopped = await ending
  const downloaded = await hanging.download
  hanging.end()

  const exit = stopped.hung ? 'hung' : (stopped.code ?? stopped.signal)
  const said = ready.status === 0 ? ready.problem : ready.status
  const row = [
    unread ? 'yes' : 'no',
    fresh.asked,
    fresh.lost,
    kept.asked,
    kept.lost,
    kept.untold,
    said,
    downloaded,
    exit,
    duration(stopped.ms),
  ]
  console.log(row.join(' | '), JSON.stringify({ ...fresh.reasons, ...kept.reasons }))
  must.that(fresh.lost === 0, `round ${round}: ${fresh.lost} requests on new connections were lost`)
  must.that(kept.lost === 0, `round ${round}: ${kept.lost} requests on kept connections were lost`)
  must.that(kept.untold === 0, `round ${round}: ${kept.untold} answers did not say Connection: close`)
  must.that(ready.status === 503, `round ${round}: /health/ready must say 503 in the drain: ${said}`)
  must.that(downloaded === 'whole', `round ${round}: the download must come whole: ${downloaded}`)
  must.that(exit === 0, `round ${round}: the exit must be 0: ${exit}`)
  const limit = unread ? flags.shutdown : flags.drain + 2
  must.that(
    stopped.ms <= limit * 1000 + 500,
    `round ${round}: the end must come within ${limit} s: ${duration(stopped.ms)}`,
  )
  return row
}
