import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { Logger } from 'pino'
import { onStopSignal } from './early-stop.js'
import type { Liveness } from './liveness.js'

/** Seconds in which orchestrators and load balancers learn that the service is not ready any more. */
const DRAIN_SECONDS = 5
/** Ctrl+C reaches the service twice: from the terminal, and passed on by npm. Signals this close together count as one. */
const TWICE_MS = 1000

const STDERR = 2

/** The variables that bound the stop, in seconds from SIGTERM. */
export interface StopVariables {
  readonly DRAIN_SECONDS?: number | undefined
  readonly SHUTDOWN_SECONDS: number
}

/** The parts of the process that stop. */
export interface Stop {
  readonly config: StopVariables
  readonly logger: Logger
  readonly liveness: Liveness
  /** npm started this process. */
  readonly isUnderNpm: boolean
  /** Whether the service was ready, so that load balancers may still send callers to it. */
  isReady(): boolean
  /** Requests that are being answered in this thread. */
  openRequests(): number
  /** Closes the listener, and settles when all running requests have finished. */
  finish(): Promise<void>
}

/**
 * Stops the process at SIGTERM, SIGINT or SIGHUP. The service reports at once that it is not ready; for a while it still serves new
 * requests, each answer with `Connection: close`; then it finishes the running ones. The process ends with exit
 * code 0, after `SHUTDOWN_SECONDS` at the latest. A second signal ends it at once, with 1.
 */
export function stopOnSignals(stop: Stop): void {
  let since: number | undefined
  onStopSignal((signal) => {
    if (since === undefined) {
      since = performance.now()
      void run(stop, signal)
    } else if (!stop.isUnderNpm || performance.now() - since > TWICE_MS) process.exit(1)
  })
}

async function run(
  { config, logger, liveness, isReady, openRequests, finish }: Stop,
  signal: string,
): Promise<void> {
  liveness.stop() // from now on each answer closes its connection
  const shutdownSeconds = config.SHUTDOWN_SECONDS
  setTimeout(() => {
    liveness.tellOpenRequests(openRequests())
    logger.warn({ requests: liveness.openRequests() }, 'stopped: what still ran was cut off')
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

/** Prints one line to standard error, and ends the process with exit code 1. */
export function exitWith(error: Error): never {
  try {
    writeSync(STDERR, `inlet: ${error.message}\n`)
  } catch {
    // standard error is closed: the exit code must do
  }
  return process.exit(1)
}
