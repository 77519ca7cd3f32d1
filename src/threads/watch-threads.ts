import type { FastifyInstance } from 'fastify'
import type { Liveness } from '../load/liveness.js'
import { BEAT_MS, Watchdog } from '../load/watchdog.js'

/** How many beats after its deadline the first thread may take to end the process. */
const GRACE_BEATS = 3

/**
 * Lets this thread beat and check the others from now on, without keeping the process alive.
 *
 * @param shutdownSeconds the most time from the signal to the end of the process. The first thread keeps this
 *   deadline; where it hangs, another thread ends the process by SIGKILL, the only means it has
 */
export function watchThreads(
  { log, connections }: FastifyInstance,
  liveness: Liveness,
  shutdownSeconds: number,
): void {
  const watchdog = new Watchdog(liveness, {
    silent: (thread) => log.error({ hangs: thread, runs: liveness.lastOf(thread) }, 'a thread hangs'),
    back: () => log.warn({ back: liveness.thread }, 'a thread that hung goes on'),
  })
  let stopping = 0
  const beat = () => {
    watchdog.look()
    if (!liveness.isStopping) return
    liveness.tellOpenRequests(connections.openRequests)
    if ((++stopping * BEAT_MS) / 1000 <= shutdownSeconds + GRACE_BEATS) return
    log.fatal('the first thread did not end the process in time')
    process.kill(process.pid, 'SIGKILL')
  }
  beat() // at once: the other threads do not check a thread that has never beaten
  setInterval(beat, BEAT_MS).unref()
}
