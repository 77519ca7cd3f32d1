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
export function fillSinusoids({ width, layout, angle, positionOf }: SinusoidTable): RowFill {
  const half = width >> 1
  const isInterleaved = layout === 'interleaved'
  return fillRows(width, () => {
    const angleOf = angle()
    return (row, channel) => {
      if (channel === 2 * half) return 0
      const isSine = isInterleaved ? channel % 2 === 0 : channel < half
      const radians = angleOf(positionOf(row), isInterleaved ? channel >> 1 : channel % half)
      return isSine ? Math.sin(radians) : Math.cos(radians)
    }
  })
}

type RowFill = (out: Float32Array | Int32Array, start: number) => void

/** A `fill` for rows of `width` elements. @param elements makes what gives an element, when the first one is asked for */
export function fillRows(width: number, elements: () => (row: number, channel: number) => number): RowFill {
  return (out, start) => {
    const elementOf = elements()
    let channel = start % width
    let row = (start - channel) / width
    for (let at = 0; at < out.length; at++) {
      out[at] = elementOf(row, channel)
      if (++channel < width) continue
      channel = 0
      row++
    }
  }
}
