import type { Rows } from './load.js'

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
export function rounded(value: number): string {
  return minus(value.toFixed(3))
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
  const lengths = Math.sqrt(product(a, a) * product(b, b))
  return lengths === 0 ? 0 : product(a, b) / lengths
}

function product(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += a[index] * b[index]
  return sum
}

/** Cosines of all pairs of rows: [n, n]. */
export function cosines(values: Float32Array, rows: number, columns: number): Float32Array {
  const row = (index: number) => values.subarray(index * columns, (index + 1) * columns)
  return Float32Array.from({ length: rows * rows }, (_, pair) =>
    cosine(row(Math.floor(pair / rows)), row(pair % rows)),
  )
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
  const cells: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    Home: [ctrlKey ? 0 : row, 0],
    End: [ctrlKey ? rows : row, columns],
    PageUp: [row - PAGE_ROWS, column],
    PageDown: [row + PAGE_ROWS, column],
  }
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value))
  const next = cells[key]
  return next && { row: within(next[0], rows), column: within(next[1], columns) }
}

/** Steps of a table: odd, so that 0 has the middle one to itself. */
export const STEPS = 255

export type Theme = 'light' | 'dark'

/** Colours from −limit (blue) over 0 (the paper) to +limit (orange), as 255 × RGBA. */
export const COLOUR_TABLES: Readonly<Record<Theme, Uint8ClampedArray>> = {
  light: tableOf(0x0a3a7a, 0x2f6fb7, 0x8fbde3, 0xf7f6f2, 0xf6c48d, 0xd9772a, 0x8a3d00),
  dark: tableOf(0x9fd0ff, 0x4b93e0, 0x23497a, 0x17191d, 0x6b3f14, 0xd7832f, 0xffcf9c),
}

/** Between each two colours a straight line. */
function tableOf(...colours: readonly number[]): Uint8ClampedArray {
  const table = new Uint8ClampedArray(4 * STEPS).fill(255)
  for (let step = 0; step < STEPS; step++) {
    const place = (step / (STEPS - 1)) * (colours.length - 1)
    const [before, after] = [colours[Math.floor(place)], colours[Math.ceil(place)]]
    for (const [channel, shift] of [16, 8, 0].entries()) {
      const [from, to] = [(before >> shift) & 255, (after >> shift) & 255]
      table[4 * step + channel] = Math.round(from + (to - from) * (place % 1))
    }
  }
  return table
}

/** The step of a value: −limit → 0, 0 → 127, limit → 254; beyond the limit, the last step. */
export function stepOf(value: number, limit: number): number {
  const half = (STEPS - 1) / 2
  return Math.round(half + half * Math.max(-1, Math.min(1, value / limit)))
}

/** A picture of numbers, a pixel each: RGBA. What is not finite stays clear. @param centre has the middle colour */
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

/**
 * The value of the last colour: three standard deviations of the token rows on screen, rounded to one digit. The same
 * for all pictures of a card, so that equal colours are equal numbers.
 */
export function limitOf({ token }: Pick<Rows, 'token'>): number {
  const squares = token.reduce((sum, value) => sum + value * value, 0)
  const deviation = Math.sqrt(squares / Math.max(1, token.length))
  return deviation === 0 ? 1 : Number((3 * deviation).toPrecision(1))
}
