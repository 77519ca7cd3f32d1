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
  readonly angle: Angle
  readonly positionOf: (row: number) => number
}

/**
 * A `fill` for rows of sines and cosines, each computed in double and rounded once.
 *
 * Interleaved, row p: `sin a₀, cos a₀, sin a₁, cos a₁, …`; concatenated: `sin a₀, sin a₁, …, cos a₀, cos a₁, …`.
 */
export function fillSinusoids({ width, layout, angle, positionOf }: SinusoidTable): RowFill {
  const half = width >> 1
  const isInterleaved = layout === 'interleaved'
  return fillRows(width, (out, at, row, from, to) => {
    const position = positionOf(row)
    for (let channel = from; channel < to; channel++, at++) {
      const isSine = isInterleaved ? channel % 2 === 0 : channel < half
      const radians = angle(position, isInterleaved ? channel >> 1 : isSine ? channel : channel - half)
      out[at] = channel === 2 * half ? 0 : isSine ? Math.sin(radians) : Math.cos(radians)
    }
  })
}

type Numbers = Float32Array | Int32Array
type RowFill = (out: Numbers, start: number) => void

/** A `fill` for rows of `width` elements. @param write writes the elements `from` … `to − 1` of a row from `out[at]` on */
export function fillRows(
  width: number,
  write: (out: Numbers, at: number, row: number, from: number, to: number) => void,
): RowFill {
  return (out, start) => {
    for (let at = 0; at < out.length; ) {
      const from = (start + at) % width
      const to = Math.min(width, from + out.length - at)
      write(out, at, (start + at - from) / width, from, to)
      at += to - from
    }
  }
}
