import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endWithUs } from './keeper.mjs'

const CHILD = fileURLToPath(new URL('./small-clients-child.mjs', import.meta.url))

/**
 * Clients with small requests in a separate process: `start()`, then `stop()` → { count, p50, p99, max, lost }
 * (milliseconds; `lost` counts what was not answered 200, by what came instead).
 */
export function smallClients(port, { count = 8, pauseMs = 50, model = 'default' } = {}) {
  const child = endWithUs(fork(CHILD, [port, count, pauseMs, model].map(String)))
  const say = async (message) => {
    child.send(message)
    return (await once(child, 'message'))[0]
  }
  return { start: () => say('start'), stop: () => say('stop'), end: () => child.kill('SIGKILL') }
}
