import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Resident bytes at which the service is ended: the machine is shared. */
export const CAP_BYTES = 6e9
const EVERY_MS = 25
/** A look that is not answered by then counts as long. */
const PATIENCE_MS = 60_000

/**
 * Looks at a service from outside, every 25 ms, until `stop()`: what `/health/live` takes on a new connection, and
 * the resident memory. Ends the service where it takes more than `capBytes`. `next()` tells what was seen since the
 * last time.
 *
 * @returns { next, stop(): Promise<{ live: { count, failed, p50, p99, max } in milliseconds, rssPeak, capped }> }
 */
export async function startProbe({ pid, port }, capBytes = CAP_BYTES) {
  const workerData = { pid, port, capBytes, everyMs: EVERY_MS, patienceMs: PATIENCE_MS }
  const worker = new Worker(new URL('./probe-worker.mjs', import.meta.url), { workerData })
  await once(worker, 'online')
  const ask = async (word) => {
    worker.postMessage(word)
    const [found] = await once(worker, 'message')
    return found
  }
  return { next: () => ask('next'), stop: () => ask('stop') }
}
