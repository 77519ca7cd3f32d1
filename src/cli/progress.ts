import type { Flag } from './program.js'

const DRAW_MS = 200

/** The flag of commands that show their progress. */
export const quietFlag: Flag = { name: 'quiet', short: 'q', doc: 'No progress, errors only.' }

/** Shows a transfer in the last line of a terminal; elsewhere only what is written. */
export class Progress {
  #shown: (() => string) | undefined
  #bytes = 0
  readonly #timer: NodeJS.Timeout | undefined
  readonly #stream = process.stderr

  constructor(private readonly quiet: boolean) {
    if (quiet || !this.#stream.isTTY) return
    this.#timer = setInterval(() => {
      if (this.#shown !== undefined) this.#stream.write(`\r\u001b[K${this.#shown()}`)
    }, DRAW_MS).unref()
  }

  /** Begins a stage. @param total bytes, where that is known */
  stage(stage: string, total = 0): void {
    this.#bytes = 0
    const since = performance.now()
    this.#shown = () => {
      const share =
        total > 0
          ? `${Math.floor((100 * this.#bytes) / total)} %, ${shareText(this.#bytes, total)}`
          : byteText(this.#bytes)
      const rate = byteText((this.#bytes / (performance.now() - since)) * 1000)
      return `${stage}  ${share}, ${rate}/s`
    }
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Writes a line, and goes on below it. */
  write(line: string): void {
    if (this.quiet) return
    this.#stream.write(`${this.#timer === undefined ? '' : '\r\u001b[K'}${line}\n`)
  }

  /** Removes the line of the transfer, and writes `line` unless the command is quiet. */
  end(line?: string): void {
    clearInterval(this.#timer)
    if (this.#shown !== undefined && this.#timer !== undefined) this.#stream.write('\r\u001b[K')
    this.#shown = undefined
    if (line !== undefined) this.write(line)
  }
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

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

/** `2000` → `2,000`. */
export function numberText(number: number): string {
  return number.toLocaleString('en')
}

/** Rows as columns that stand below each other: numbers, as `isNumber` says, at the right, texts at the left. */
export function columns(
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean,
): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const padded = (cell: string, column: number) =>
    isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}
