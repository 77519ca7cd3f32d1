import type { FrameFields } from '../corpus/dataset-card.js'

const DRAW_MS = 200

export const quietFlag = { '-q, --quiet': 'No progress and no summary: errors only.' }

/**
 * Shows a transfer in the last line of a terminal, until it is disposed of; without a terminal, only the lines of `write`.
 * `--quiet` shows nothing.
 */
export class Progress implements Disposable {
  #shown: (() => string) | undefined
  #bytes = 0
  readonly #timer: NodeJS.Timeout | undefined
  readonly #stream = process.stderr
  readonly #started = performance.now()
  readonly #isQuiet: boolean

  constructor(values: ReadonlyMap<string, string>) {
    this.#isQuiet = values.has('quiet')
    if (this.#isQuiet || !this.#stream.isTTY) return
    this.#timer = setInterval(() => {
      if (this.#shown !== undefined) this.#stream.write(`\r\u001b[K${this.#shown()}`)
    }, DRAW_MS).unref()
  }

  /** Begins a stage. @param total bytes, where that is known, or what else `unit` writes */
  stage(stage: string, total = 0, unit?: (count: number) => string): void {
    this.#bytes = 0
    const since = performance.now()
    this.#shown = () => {
      const done = this.#bytes
      const part = unit?.(done) ?? (total > 0 ? shareText(done, total) : byteText(done))
      const perSecond = (done / (performance.now() - since)) * 1000
      const left = total > done && done > 0 ? `, ${secondsText((total - done) / perSecond)} left` : ''
      const share = total > 0 ? `${Math.floor((100 * done) / total)} %, ` : ''
      return `${stage}  ${share}${part}, ${unit?.(Math.round(perSecond)) ?? byteText(perSecond)}/s${left}`
    }
  }

  /** So much is done in all. */
  reach(count: number): void {
    this.#bytes = count
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Seconds since it was made. */
  get seconds(): number {
    return (performance.now() - this.#started) / 1000
  }

  /** Writes a line, and continues below it. */
  write(line: string): void {
    if (!this.#isQuiet) this.#stream.write(`${this.#timer === undefined ? '' : '\r\u001b[K'}${line}\n`)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    if (this.#shown !== undefined && this.#timer !== undefined) this.#stream.write('\r\u001b[K')
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

export function secondsText(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}

/** `; each document ends with 50256 <|endoftext|>`, or nothing. */
export function frameText(frame: Partial<FrameFields> = {}): string {
  const { document_start: start, document_end: end } = frame
  const part = (verb: string, id: number | null | undefined, literal: string | null | undefined) =>
    id == null ? [] : [`${verb} with ${id}${literal ? ` ${visible(literal)}` : ''}`]
  const parts = [
    ...part('begins', start, frame.document_start_literal),
    ...part('ends', end, frame.document_end_literal),
  ]
  return parts.length === 0 ? '' : `; each document ${parts.join(' and ')}`
}

/** `1 window`, `2 windows`. */
export function countText(number: number, unit: string): string {
  return `${numberText(number)} ${unit}${number === 1 ? '' : 's'}`
}

export function numberText(number: number): string {
  return number.toLocaleString('en')
}

/** Rows as columns that stand below each other: numbers, as `isNumber` says, at the right, texts at the left. */
export function columns(
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean,
): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const padded = (cell: string, column: number) =>
    isNumber(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}

/** Colours of a stream: as the environment says (`NO_COLOR`, `FORCE_COLOR`), else where it is a terminal. */
export function styleFor({ isTTY }: { readonly isTTY?: boolean }, env = process.env) {
  const inColour = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isTTY === true && !env.NO_COLOR
  const paint = (on: number, off: number) => (text: string) =>
    inColour ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return { bold: paint(1, 22), dim: paint(2, 22), bad: paint(31, 39), good: paint(32, 39) }
}

/**
 * Characters that control a terminal or change the order of the text after them: control characters (C0, DEL, C1),
 * line separators, marks of bidirectional text, lone surrogates.
 */
const STEERING = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * A server's text, or a file's name, made safe for a terminal, in one line: `\u001b[2J` → `\x1b[2J`. @param kept
 * characters that stay as they are
 */
export function visible(text: string, kept = ''): string {
  return text.replace(STEERING, (character) => (kept.includes(character) ? character : escaped(character)))
}

function escaped(character: string): string {
  const code = character.codePointAt(0) as number
  const hex = code.toString(16)
  return SHORT[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`)
}
