import { setTimeout as delay } from 'node:timers/promises'
import { duration } from './figures.mjs'
import { startService } from './service.mjs'
import { hangingConnections, stoppingClients } from './stopping-clients.mjs'

/** The first load before the signal, and how late after it /health/ready is asked. */
const BEFORE_MS = 1500
const READY_MS = 200

export const HEAD = [
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

/**
 * Starts a service, puts load on it, sends SIGTERM.
 *
 * @param options { clients, threads, drain, shutdown (seconds), unread, marginMs }: `marginMs` before the drain ends,
 *   the clients have gone elsewhere
 * @returns { row, reasons, fresh, kept, failures }
 */
export async function stopOnce({ clients, threads, drain, shutdown, unread, marginMs }) {
  const env = {
    THREADS: String(threads),
    DRAIN_SECONDS: String(drain),
    SHUTDOWN_SECONDS: String(shutdown),
  }
  const service = await startService({ env })
  const hanging = await hangingConnections(service.port, { unread })
  const load = stoppingClients(service.port, clients)
  await delay(BEFORE_MS)
  load.signal()
  const ending = service.stop(shutdown * 1000 + 5000)
  await delay(READY_MS)
  const ready = await service.call({ path: '/health/ready', leaveAfterMs: 1000 })
  await delay(drain * 1000 - READY_MS - marginMs)
  const { fresh, kept } = await load.stop()
  const stopped = await ending
  const download = await hanging.download
  hanging.end()

  const exit = stopped.hung ? 'hung' : (stopped.code ?? stopped.signal)
  const said = ready.status === 0 ? ready.problem : ready.status
  const failures = []
  const must = (holds, message) => {
    if (!holds) failures.push(message)
  }
  must(fresh.lost === 0, `${fresh.lost} of ${fresh.asked} requests on new connections were lost`)
  must(kept.lost === 0, `${kept.lost} of ${kept.asked} requests on kept connections were lost`)
  must(kept.untold === 0, `${kept.untold} answers in the drain did not say Connection: close`)
  must(ready.status === 503, `/health/ready must say 503 in the drain: ${said}`)
  must(download === 'whole', `a download that has begun must come whole: ${download}`)
  must(exit === 0, `the exit must be 0: ${exit}`)
  // A body that was half sent may come as long as there is time.
  must(stopped.ms <= shutdown * 1000 + 500, `the end must come within ${shutdown} s: ${duration(stopped.ms)}`)
  const { asked, lost } = fresh
  const row = [unread ? 'yes' : 'no', asked, lost, kept.asked, kept.lost, kept.untold, said, download, exit]
  return {
    row: [...row, duration(stopped.ms)],
    reasons: { ...fresh.reasons, ...kept.reasons },
    fresh,
    kept,
    failures,
  }
}
