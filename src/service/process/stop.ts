import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import { onStopSignal } from './early-stop.js'
import type { Liveness } from './liveness.js'

/** Seconds in which orchestrators and load balancers learn that the service is not ready any more. */
const DRAIN_SECONDS = 5
/** Ctrl+C reaches the service twice: from the terminal, and passed on by npm. Signals this close together count as one. */
const TWICE_MS = 1000

const STDERR = 2

export interface Stop {
  readonly config: Config
  readonly logger: Logger
  readonly liveness: Liveness
  readonly isUnderNpm: boolean
  /** Whether the service was ready, so that load balancers may still send callers to it. */
  isReady(): boolean
  openRequests(): number
  finish(): Promise<void>
}

/**
 * Stops the process at SIGTERM, SIGINT or SIGHUP. The service reports at once that it is not ready; for a while it still serves new
 * requests, each answer with `Connection: close`; then it finishes the running ones. The process ends with exit
 * code 0, or 1 where what must stay could not be kept, after `SHUTDOWN_SECONDS` at the latest. The same signal
 * again ends it at once, with 1; another one does not: systemd and terminals send two.
 */
export function stopOnSignals(stop: Stop): void {
  const came = new Map<string, number>()
  onStopSignal((signal) => {
    const since = came.get(signal)
    if (came.size === 0) void run(stop, signal)
    if (since === undefined) came.set(signal, performance.now())
    else if (!stop.isUnderNpm || performance.now() - since > TWICE_MS) process.exit(1)
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
    process.exit()
  }, shutdownSeconds * 1000)
  const isAtTerminal = isatty(0) || isatty(1)
  const drainSeconds = !isReady() ? 0 : (config.DRAIN_SECONDS ?? (isAtTerminal ? 0 : DRAIN_SECONDS))
  logger.info({ signal, drainSeconds, shutdownSeconds, isAtTerminal }, 'stopping')
  await delay(drainSeconds * 1000)
  logger.info('the listener closes: what runs finishes')
  await finish()
  logger.info('stopped')
  process.exit() // with `process.exitCode`, where what must stay could not be kept
}

export function exitWith(error: Error): never {
  try {
    writeSync(STDERR, `inlet: ${error.message}\n`)
  } catch {
    // standard error is closed: the exit code must do
  }
  return process.exit(1)
}
