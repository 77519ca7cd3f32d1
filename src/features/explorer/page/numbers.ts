import type { Rows } from './answer.js'

/**
 * The shortest digits that give the same float32 back, as the service writes them: 0.676421 for the float32 that is
 * 0.6764209866523743 as a double.
 */
export function digitsOf(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return minus(String(value).replace('Infinity', '∞'))
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits))
    if (Math.fround(text) === value) return minus(String(text))
  }
  return minus(String(Number(value.toPrecision(9))))
}

/** A number in few digits, for comparing: 0.4969 → 0.497. */
export function rounded(value: number, digits = 3): string {
  return minus(value.toFixed(digits))
}

/** 100000 → 100,000. */
export function counted(value: number): string {
  return value.toLocaleString('en-GB')
}

/** The sign of minus, as wide as the plus. */
function minus(text: string): string {
  return text.replaceAll('-', '−')
}

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const plural = new Intl.PluralRules('en', { type: 'ordinal' })

/** 3798 → 3,798th. */
export function ordinal(value: number): string {
  return `${counted(value)}${ENDINGS[plural.select(value)]}`
}

/** Cosine of the angle between two rows; 0 if one of them is all zeros. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0
  let lengthA = 0
  let lengthB = 0
  for (let index = 0; index < a.length; index++) {
    product += a[index] * b[index]
    lengthA += a[index] * a[index]
    lengthB += b[index] * b[index]
  }
  return lengthA === 0 || lengthB === 0 ? 0 : product / Math.sqrt(lengthA * lengthB)
}

/** Cosines of all pairs of rows: [n, n]. */
export function cosines(values: Float32Array, rows: number, columns: number): Float32Array {
  const row = (index: number) => values.subarray(index * columns, (index + 1) * columns)
  return Float32Array.from({ length: rows * rows }, (_, pair) =>
    cosine(row(Math.floor(pair / rows)), row(pair % rows)),
  )
}

/**
 * The numbers of a page that begins at `from`: pageOf(32, 32, 40) → [32 … 39]. Where there are fewer by now than it
 * begins at, the last page.
 */
export function pageOf(from: number, page: number, count: number): readonly number[] {
  const first = from < count ? from : Math.max(0, page * (Math.ceil(count / page) - 1))
  return Array.from({ length: Math.min(page, count - first) }, (_, index) => first + index)
}

export interface Cell {
  readonly row: number
  readonly column: number
}

const PAGE_ROWS = 8

/**
 * The cell to which a key leads, as in the grid pattern of WAI-ARIA: arrows, Home and End in the row, with Control in
 * the whole grid, PageUp and PageDown eight rows. Undefined for any other key.
 */
export function cellAfter(
  { key, ctrlKey }: { readonly key: string; readonly ctrlKey: boolean },
  { row, column }: Cell,
  rows: number,
  columns: number,
): Cell | undefined {
  const to = (nextRow: number, nextColumn: number): Cell => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  })
  if (key === 'ArrowLeft') return to(row, column - 1)
  if (key === 'ArrowRight') return to(row, column + 1)
  if (key === 'ArrowUp') return to(row - 1, column)
  if (key === 'ArrowDown') return to(row + 1, column)
  if (key === 'Home') return ctrlKey ? to(0, 0) : to(row, 0)
  if (key === 'End') return ctrlKey ? to(rows, columns) : to(row, columns)
  if (key === 'PageUp') return to(row - PAGE_ROWS, column)
  if (key === 'PageDown') return to(row + PAGE_ROWS, column)
  return undefined
}

/** Steps of a table: odd, so that 0 has the middle one to itself. */
export const STEPS = 255

const LIGHT = ['#0a3a7a', '#2f6fb7', '#8fbde3', '#f7f6f2', '#f6c48d', '#d9772a', '#8a3d00']
const DARK = ['#9fd0ff', '#4b93e0', '#23497a', '#17191d', '#6b3f14', '#d7832f', '#ffcf9c']

export type Theme = 'light' | 'dark'

/** Colours from −limit (blue) over 0 to +limit (orange), as 255 × RGBA. */
export const COLOUR_TABLES: Readonly<Record<Theme, Uint8ClampedArray>> = {
  light: tableOf(LIGHT),
  dark: tableOf(DARK),
}

/** The step of a value: −limit → 0, 0 → 127, limit → 254; beyond the limit, the last step. */
export function stepOf(value: number, limit: number): number {
  const half = (STEPS - 1) / 2
  return Math.round(half + half * Math.max(-1, Math.min(1, value / limit)))
}

/** A picture of numbers, one pixel each: RGBA in the order of the values. Numbers that are not finite stay transparent. @param centre has the middle colour */
export function pixelsOf(
  values: ArrayLike<number>,
  limit: number,
  theme: Theme,
  centre = 0,
): Uint8ClampedArray<ArrayBuffer> {
  const table = new Uint32Array(COLOUR_TABLES[theme].buffer)
  const pixels = new Uint32Array(values.length)
  for (let index = 0; index < values.length; index++) {
    if (Number.isFinite(values[index])) pixels[index] = table[stepOf(values[index] - centre, limit)]
  }
  return new Uint8ClampedArray(pixels.buffer)
}

function tableOf(colours: string[]): Uint8ClampedArray {
  const channels = [1, 3, 5].map((at) =>
    spline(colours.map((colour) => Number.parseInt(colour.slice(at, at + 2), 16))),
  )
  const table = new Uint8ClampedArray(4 * STEPS)
  for (let step = 0; step < STEPS; step++) {
    table.set([...channels.map((channel) => Math.round(channel(step / (STEPS - 1)))), 255], 4 * step)
  }
  return table
}

/** The uniform cubic B-spline over values, from 0 to 1: smooth, and at its ends the first and the last of them. */
function spline(values: readonly number[]): (at: number) => number {
  const last = values.length - 1
  // Before the first and after the last, the line through the two at that end continues: so the curve ends in them.
  const value = (index: number) => {
    if (index < 0) return 2 * values[0] - values[1]
    return index > last ? 2 * values[last] - values[last - 1] : values[index]
  }
  return (at) => {
    const part = Math.min(last - 1, Math.floor(at * last))
    const t = at * last - part
    const [a, b, c, d] = [value(part - 1), value(part), value(part + 1), value(part + 2)]
    const weights = [(1 - t) ** 3, 4 - 6 * t ** 2 + 3 * t ** 3, 1 + 3 * t + 3 * t ** 2 - 3 * t ** 3, t ** 3]
    return (a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3]) / 6
  }
}

/**
 * The value of the last colour: three standard deviations of the token rows on screen, rounded to one digit. The same
 * for all pictures of a card, so that equal colours are equal numbers.
 */
export function limitOf({ token }: Rows): number {
  let squares = 0
  for (const value of token) squares += value * value
  const deviation = Math.sqrt(squares / Math.max(1, token.length))
  return deviation === 0 ? 1 : Number((3 * deviation).toPrecision(1))
}
