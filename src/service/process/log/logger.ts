import { isatty } from 'node:tty'
import { destination, type Logger, pino } from 'pino'

const STDOUT = 1

/**
 * A thread's log on standard output: JSON, or lines to read at a terminal. A line is one write, which waits
 * for its reader; a line that cannot be written, as on a full disk, is lost, and the service continues.
 */
export function openLog(level: string, thread: number): Logger {
  const lines = destination({ fd: STDOUT, sync: true })
  lines.on('error', () => {})
  const shown = isatty(STDOUT) ? { write: (line: string) => lines.write(terminalLine(line)) } : lines
  const whole = pino({ name: 'inlet', level }, shown)
  return thread === 0 ? whole : whole.child({ thread })
}

/** pino's levels from warnings on; those below stand without a word. */
const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' }

const USUAL = ['level', 'time', 'pid', 'hostname', 'name', 'msg', 'thread']

/**
 * A log line for a reader at a terminal: `{"level":30,"time":…,"msg":"ready","backend":"cpu"}` → `12:00:00
 * ready backend=cpu`. Control characters, which a request may have brought, are written as JSON writes them.
 */
export function terminalLine(line: string): string {
  const fields = JSON.parse(line) as Record<string, unknown>
  const time = new Date(Number(fields.time)).toTimeString().slice(0, 8)
  const shown = Object.entries(fields).filter(([name, value]) => !USUAL.includes(name) && value !== null)
  const rest = shown.map(([name, value]) => ` ${name}=${valueText(value)}`).join('')
  return `${time} ${LEVELS[Number(fields.level)] ?? ''}${escaped(String(fields.msg ?? '')).slice(1, -1)}${rest}\n`
}

function valueText(value: unknown): string {
  const json = escaped(value)
  return typeof value === 'string' && /^"[^\s"\\]+"$/.test(json) ? json.slice(1, -1) : json
}

function escaped(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, '\ufffd')
}
