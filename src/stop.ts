import { setTimeout as delay } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import type { Life } from './load/life.js'

/** Time for orchestrators and load balancers to learn that the service is not ready any more. */
const DRAIN_SECONDS = 5
/** npm passes on the signal that a terminal has sent to the service as well: within this time they are one. */
const TWICE_MS = 1000

/** What is needed to stop. */
export interface Stop {
  readonly config: Config
  readonly logger: Logger
  readonly life: Life
  /** npm started this process. */
  readonly isUnderNpm: boolean
  /** Callers could be on their way. */
  isReady(): boolean
  /** Requests that are being answered in this thread. */
  openRequests(): number
  /** Lets what is being answered be the last on its connection. */
  drain(): void
  /** Closes the listener, and settles when all that runs has finished. */
  finish(): Promise<void>
}

/**
 * Stops the process at a signal: not ready at once; then new requests are still served for a while, each answer with
 * `Connection: close`; then what runs finishes. The process ends with 0, at the latest when its time is over. A second
 * signal ends it at once, with 1.
 */
export function stopOnSignals(stop: Stop): void {
  let since: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (since === undefined) {
        since = performance.now()
        void run(stop, signal)
      } else if (!stop.isUnderNpm || performance.now() - since > TWICE_MS) process.exit(1)
    })
  }
}

async function run(
  { config, logger, life, isReady, openRequests, drain, finish }: Stop,
  signal: string,
): Promise<void> {
  life.stop()
  drain()
  const shutdownSeconds = config.SHUTDOWN_SECONDS
  setTimeout(() => {
    life.tellOpenRequests(openRequests())
    logger.warn({ requests: life.openRequests() }, 'stopped: what still ran was cut off')
    process.exit(0)
  }, shutdownSeconds * 1000)
  const isAtTerminal = isatty(0) || isatty(1)
  const drainSeconds = !isReady() ? 0 : (config.DRAIN_SECONDS ?? (isAtTerminal ? 0 : DRAIN_SECONDS))
  logger.info({ signal, drainSeconds, shutdownSeconds, isAtTerminal }, 'stopping')
  await delay(drainSeconds * 1000)
  logger.info('the listener closes: what runs finishes')
  await finish()
  logger.info('stopped')
  process.exit(0)
}
