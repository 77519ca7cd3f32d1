import type { Prepared } from './scheme.js'

const fround = Math.fround

/** The order of a row's sines and cosines: in turns, or all sines and then all cosines. */
type SinusoidLayout = 'interleaved' | 'concatenated'

/** The angle of frequency `index` at a position, in radians. */
export type Angle = (position: number, index: number) => number

/** Angles in double precision by division, as the paper writes them: position / divisor. */
export const dividedAngle =
  (divisors: Float64Array): Angle =>
  (position, index) =>
    position / divisors[index]

/** Angles in double precision by multiplication: position · frequency. */
export const doubleAngle =
  (frequencies: Float64Array): Angle =>
  (position, index) =>
    position * frequencies[index]

/** Angles as in PyTorch's float32 tensors: position and product rounded, as the frequencies are. */
export const singleAngle =
  (frequencies: Float64Array): Angle =>
  (position, index) =>
    fround(fround(position) * frequencies[index])

interface SinusoidTable {
  /** Elements of a row, C. Frequencies: ⌊C/2⌋; an odd row ends in 0. */
  readonly width: number
  readonly layout: SinusoidLayout
  readonly angle: Prepared<Angle>
  readonly positionOf: (row: number) => number
}

/**
 * A `fill` for rows of sines and cosines, each computed in double and rounded once.
 *
 * Interleaved, row p: `sin a₀, cos a₀, sin a₁, cos a₁, …`; concatenated: `sin a₀, sin a₁, …, cos a₀, cos a₁, …`.
 */
export function fillSinusoids(table: SinusoidTable): (out: Float32Array, start: number) => void {
  const { width, positionOf } = table
  const writeRow = ROWS[table.layout]
  return (out, start) => {
    const angle = table.angle()
    for (let at = 0; at < out.length; ) {
      const row = Math.floor((start + at) / width)
      const from = start + at - row * width
      const to = Math.min(width, from + out.length - at)
      writeRow(out, at - from, from, to, positionOf(row), width, angle)
      at += to - from
    }
  }
}

type RowWriter = (
  out: Float32Array,
  rowStart: number,
  from: number,
  to: number,
  position: number,
  width: number,
  angle: Angle,
) => void

const writeInterleaved: RowWriter = (out, rowStart, from, to, position, width, angle) => {
  const paired = Math.min(to, width - (width % 2))
  for (let channel = from; channel < paired; channel++) {
    const radians = angle(position, channel >> 1)
    out[rowStart + channel] = channel % 2 === 0 ? Math.sin(radians) : Math.cos(radians)
  }
  if (paired < to) out[rowStart + to - 1] = 0
}

const writeConcatenated: RowWriter = (out, rowStart, from, to, position, width, angle) => {
  const half = width >> 1
  for (let channel = from; channel < Math.min(to, half); channel++) {
    out[rowStart + channel] = Math.sin(angle(position, channel))
  }
  for (let channel = Math.max(from, half); channel < Math.min(to, 2 * half); channel++) {
    out[rowStart + channel] = Math.cos(angle(position, channel - half))
  }
  if (to > 2 * half) out[rowStart + to - 1] = 0
}

const ROWS: Readonly<Record<SinusoidLayout, RowWriter>> = {
  interleaved: writeInterleaved,
  concatenated: writeConcatenated,
}
