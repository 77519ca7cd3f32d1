import { isatty } from 'node:tty'
import { type Logger, pino } from 'pino'
import type { Liveness } from '../load/liveness.js'
import { LogDestination } from './destination.js'
import { terminalLine } from './terminal-lines.js'

/** A thread's log. */
export interface Log {
  readonly logger: Logger
  /** Lines that were dropped so far. */
  dropped(): number
  /** Writes the waiting lines, as far as that takes at most half a second. */
  flush(): void
}

/** Makes a thread's log on the descriptor of all threads: JSON, or lines to read at a terminal. When the thread ends, it writes its last lines. */
export function openLog(
  { LOG_LEVEL }: { readonly LOG_LEVEL: string },
  liveness: Liveness,
  descriptor: number,
): Log {
  const destination = new LogDestination(descriptor, liveness, (dropped) =>
    logger.warn({ dropped }, 'log lines were dropped: standard output could not be written'),
  )
  process.on('exit', () => destination.flushSync())
  const lines = isatty(descriptor)
    ? {
        write: (line: string) => destination.write(terminalLine(line)),
        flushSync: () => destination.flushSync(),
      }
    : destination
  const whole = pino({ name: 'inlet', level: LOG_LEVEL }, lines)
  const logger: Logger = liveness.thread === 0 ? whole : whole.child({ thread: liveness.thread })
  return { logger, dropped: () => destination.dropped, flush: () => destination.flushSync() }
}
