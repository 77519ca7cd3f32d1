import type { Flag } from './command.js'
import type { Style } from './style.js'

const DRAW_MS = 100
const LINE_MS = 3000
const BAR = 28

/** The flag of commands that show their progress. */
export const quietFlag: Flag = { name: 'quiet', short: 'q', doc: 'No progress, errors only.' }

/** The state of a transfer. */
export interface Transfer {
  /** `sending`, `receiving`. */
  stage: string
  bytes: number
  /** Bytes that were there before this stage began. */
  before?: number
  /** Bytes of the whole transfer; absent where that is not known. */
  total?: number
  /** When this stage began, in milliseconds of `performance.now()`. */
  since: number
}

/** Shows a transfer on stderr: a bar that moves on a terminal, a line every few seconds elsewhere. */
export class Progress {
  #transfer: Transfer | undefined
  #shown = performance.now()
  #isDrawn = false
  readonly #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly style: Style,
    private readonly quiet: boolean,
  ) {
    if (!quiet) this.#timer = setInterval(() => this.#show(), DRAW_MS).unref()
  }

  /** Begins a stage. `before`: bytes of the total that are there already. */
  stage(stage: string, total?: number, before = 0): void {
    this.#transfer = { stage, bytes: before, before, total, since: performance.now() }
  }

  /** Writes a line, and goes on below it. */
  write(line: string): void {
    if (this.quiet) return
    if (this.#isDrawn) this.stream.write('\r\u001b[K')
    this.stream.write(`${line}\n`)
  }

  add(bytes: number): void {
    if (this.#transfer !== undefined) this.#transfer.bytes += bytes
  }

  /** Removes the bar, and writes `line` unless the command is quiet. */
  end(line?: string): void {
    clearInterval(this.#timer)
    if (this.#isDrawn) this.stream.write('\r\u001b[K')
    if (line !== undefined && !this.quiet) this.stream.write(`${line}\n`)
  }

  #show(): void {
    if (this.#transfer === undefined) return
    const now = performance.now()
    if (this.stream.isTTY) {
      this.stream.write(`\r\u001b[K${progressLine(this.#transfer, now, this.style, true)}`)
      this.#isDrawn = true
    } else if (now - this.#shown >= LINE_MS) {
      this.stream.write(`${progressLine(this.#transfer, now, this.style, false)}\n`)
      this.#shown = now
    }
  }
}

/** `receiving ━━━━━━━━──────── 52 %  1.3 GB of 2.5 GB  610 MB/s  2 s left`. */
export function progressLine(transfer: Transfer, now: number, style: Style, bar: boolean): string {
  const { stage, bytes, before = 0, total, since } = transfer
  const share = total ? Math.min(1, bytes / total) : undefined
  const filled = Math.round((share ?? 0) * BAR)
  const parts = [stage.padEnd(9)]
  if (bar && share !== undefined) {
    parts.push(style.accent('━'.repeat(filled)) + style.dim('─'.repeat(BAR - filled)))
  }
  if (share !== undefined) parts.push(`${String(Math.floor(share * 100)).padStart(3)} %`)
  parts.push(total ? `${byteText(bytes)} of ${byteText(total)}` : byteText(bytes))
  const seconds = (now - since) / 1000
  if (seconds > 0 && bytes > before) {
    const rate = (bytes - before) / seconds
    parts.push(style.dim(`${byteText(rate)}/s`))
    if (total !== undefined && total > bytes)
      parts.push(style.dim(`${leftText((total - bytes) / rate)} left`))
  }
  return parts.join('  ')
}

/** `4000` seconds → `1 h 7 min`: rounded up, a minute at least beyond one. */
function leftText(seconds: number): string {
  if (seconds <= 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `1536` → `1.5 kB`: decimal units, as disks are sold. */
export function byteText(bytes: number): string {
  const unit = unitOf(bytes)
  return `${inUnit(bytes, unit)} ${UNITS[unit]}`
}

/** `157000000`, `548000000` → `157 of 548 MB`, both in the unit of the whole. */
export function shareText(part: number, whole: number): string {
  const unit = unitOf(whole)
  return `${inUnit(part, unit)} of ${inUnit(whole, unit)} ${UNITS[unit]}`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** The greatest unit of which there is one at least. */
function unitOf(bytes: number): number {
  let unit = 0
  for (let value = bytes; value >= 999.5 && unit < UNITS.length - 1; unit++) value /= 1000
  return unit
}

function inUnit(bytes: number, unit: number): string {
  const value = bytes / 1000 ** unit
  return value.toFixed(unit === 0 || value >= 99.95 ? 0 : 1)
}

/** `0.84` seconds → `840 ms`. */
export function secondsText(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}
