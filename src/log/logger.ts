import { isatty } from 'node:tty'
import { destination, type Logger, pino } from 'pino'
import { terminalLine } from './terminal-lines.js'

const STDOUT = 1

/**
 * A thread's log on standard output: JSON, or lines to read at a terminal. A line is one write, which waits for its
 * reader; a line that cannot be written, as on a full disk, is lost, and the service goes on.
 */
export function openLog(level: string, thread: number): Logger {
  const lines = destination({ fd: STDOUT, sync: true })
  lines.on('error', () => {})
  const shown = isatty(STDOUT) ? { write: (line: string) => lines.write(terminalLine(line)) } : lines
  const whole = pino({ name: 'inlet', level }, shown)
  return thread === 0 ? whole : whole.child({ thread })
}
