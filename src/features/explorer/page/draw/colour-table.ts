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
  // Before the first and after the last, the line through the two at that end goes on: so the curve ends in them.
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
