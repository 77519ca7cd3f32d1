import { table } from '../bench/harness/text.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER } from './harness/service.mjs'
import { HEAD, stopOnce } from './harness/stopping.mjs'

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

const MARGIN_MS = 500

const flags = flagsOf(HELP, { rounds: 20, clients: 32, threads: 2, drain: 2, shutdown: 7 })
console.log(`${SERVER}, drain ${flags.drain} s, shutdown ${flags.shutdown} s`)
const rounds = []
for (let round = 0; round < flags.rounds; round++) {
  rounds.push(await stopOnce({ ...flags, unread: round % 2 === 1, marginMs: MARGIN_MS }))
  const { row, reasons } = rounds.at(-1)
  console.log(row.join(' | '), JSON.stringify(reasons))
}
console.log(
  `\n${table(
    HEAD,
    rounds.map(({ row }) => row),
  )}\n`,
)
const sum = (of) => rounds.reduce((total, round) => total + of(round), 0)
const fresh = `${sum((round) => round.fresh.lost)} of ${sum((round) => round.fresh.asked)} on new connections`
const kept = `${sum((round) => round.kept.lost)} of ${sum((round) => round.kept.asked)} on kept ones`
console.log(`lost in all: ${fresh}, ${kept}`)
end(rounds.flatMap(({ failures }, round) => failures.map((failure) => `round ${round}: ${failure}`)))
