import type { ComputedTensor } from './scheme.js'

type Elements = Float32Array | Int32Array

/**
 * A tensor [planes, T, K, width] whose entries depend only on the plane and the distance key − query: queries stand at
 * `firstQuery` … `firstQuery + T − 1`, keys at 0 … K−1.
 */
interface DistanceMatrix {
  readonly queries: number
  readonly keys: number
  /** Elements of one entry: D for rows of a table. Absent: 1, for a bias or an index. */
  readonly width?: number
  readonly firstQuery: number
  /** Writes the entries of the distances `distance` … `distance + count − 1`, from `out[at]` on. */
  readonly write: (out: Elements, at: number, distance: number, count: number, plane: number) => void
}

/** The queries and keys of a {@link DistanceMatrix}, and its planes where it has that axis. */
interface Distances extends Pick<DistanceMatrix, 'queries' | 'keys' | 'firstQuery'> {
  readonly planes?: number
}

/** A tensor [planes, T, K] or [T, K] of one number for each distance, which `entryOf(plane)` gives. */
export function byDistance(
  name: string,
  dtype: ComputedTensor['dtype'],
  { planes, ...matrix }: Distances,
  entryOf: (plane: number) => (distance: number) => number,
  drawn?: ComputedTensor['drawn'],
): ComputedTensor {
  const fill = fillByDistance({
    ...matrix,
    write(out, at, distance, count, plane) {
      const entry = entryOf(plane)
      for (let i = 0; i < count; i++) out[at + i] = entry(distance + i)
    },
  })
  const { queries, keys } = matrix
  return {
    name,
    dtype,
    shape: planes === undefined ? [queries, keys] : [planes, queries, keys],
    drawn,
    fill,
  }
}

/** Rows shorter than this are copied in a loop: a view and a `set` cost more. */
const SHORT_ROW = 64

/**
 * A `fill` for such a tensor. All rows of a plane are windows of one line of distances, each row one step to the left of
 * the row above. So `fill` computes the line of the whole rows that a block needs once, and copies the rows; a part of a
 * row has a line of its own. Extra memory: at most about twice the block.
 *
 * T = 2, K = 3, firstQuery 0, entries = distance: the line −1 0 1 2 gives the rows `0 1 2` and `−1 0 1`.
 */
export function fillByDistance(matrix: DistanceMatrix): (out: Elements, start: number) => void {
  const { queries, keys, width = 1, firstQuery, write } = matrix
  const rowLength = keys * width
  let line: Elements = new Int32Array(0)
  return (out, start) => {
    for (let at = 0; at < out.length; ) {
      const row = Math.floor((start + at) / rowLength) // of all planes
      const query = row % queries
      const from = start + at - row * rowLength
      const wholeRows = from > 0 ? 0 : Math.floor((out.length - at) / rowLength)
      const rows = Math.max(1, Math.min(wholeRows, queries - query))
      const to = Math.min(rowLength, from + out.length - at)
      const firstKey = Math.floor(from / width)
      const entries = Math.ceil(to / width) - firstKey + rows - 1
      if (line.length < entries * width)
        line =
          out instanceof Float32Array ? new Float32Array(entries * width) : new Int32Array(entries * width)
      write(line, 0, firstKey - (firstQuery + query + rows - 1), entries, Math.floor(row / queries))
      for (let step = rows - 1; step >= 0; step--, at += to - from)
        copy(line, step * width + from - firstKey * width, out, at, to - from)
    }
  }
}

/** Copies `length` elements of a table or a line. */
export function copy(from: Elements, fromIndex: number, to: Elements, toIndex: number, length: number): void {
  if (length >= SHORT_ROW) {
    to.set(from.subarray(fromIndex, fromIndex + length), toIndex)
    return
  }
  for (let i = 0; i < length; i++) to[toIndex + i] = from[fromIndex + i]
}
