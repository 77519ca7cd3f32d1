type Elements = Float32Array | Int32Array

/**
 * A tensor [planes, T, K, width], of any number of planes, whose entries depend only on the plane and the distance key − query: queries stand at
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

/** A `write` for entries of one number, which `entryOf(plane)` gives by distance. */
export function eachEntry(entryOf: (plane: number) => (distance: number) => number): DistanceMatrix['write'] {
  return (out, at, distance, count, plane) => {
    const entry = entryOf(plane)
    for (let i = 0; i < count; i++) out[at + i] = entry(distance + i)
  }
}

/** Rows shorter than this are copied in a loop: a view and a `set` cost more. */
const SHORT_ROW = 64

/**
 * A `fill` for such a tensor. All rows of a plane are windows of one line of distances, each row one step to the left of
 * the row above. So `fill` computes the part of the line that a block needs once, and copies the rows. Extra memory: at
 * most about twice the block.
 *
 * T = 2, K = 3, firstQuery 0, entries = distance: the line −1 0 1 2 gives the rows `0 1 2` and `−1 0 1`.
 */
export function fillByDistance(matrix: DistanceMatrix): (out: Elements, start: number) => void {
  const { queries, keys: columns, width = 1, firstQuery, write } = matrix
  const rowLength = columns * width
  const planeLength = queries * rowLength
  let line: Elements = new Int32Array(0)

  /** Columns `from` … `to − 1` of one row, through a line of just these distances. */
  function writeSegment(
    out: Elements,
    at: number,
    plane: number,
    row: number,
    from: number,
    to: number,
  ): void {
    const firstKey = Math.floor(from / width)
    const keys = Math.ceil(to / width) - firstKey
    const distance = firstKey - (firstQuery + row)
    if (keys * width === to - from) {
      write(out, at, distance, keys, plane)
      return
    }
    line = atLeast(line, keys * width, out)
    write(line, 0, distance, keys, plane)
    copy(line, from - firstKey * width, out, at, to - from)
  }

  /** Elements `offset` … of one plane, whole rows or parts of rows. */
  function writePlane(out: Elements, at: number, plane: number, offset: number, length: number): void {
    const firstRow = Math.floor(offset / rowLength)
    const lastRow = Math.floor((offset + length - 1) / rowLength)
    const shared = lastRow - firstRow >= 2
    if (shared) {
      const entries = columns + lastRow - firstRow
      line = atLeast(line, entries * width, out)
      write(line, 0, -(firstQuery + lastRow), entries, plane)
    }
    for (let done = 0; done < length; ) {
      const row = Math.floor((offset + done) / rowLength)
      const from = offset + done - row * rowLength
      const to = Math.min(rowLength, from + length - done)
      if (shared) copy(line, (lastRow - row) * width + from, out, at + done, to - from)
      else writeSegment(out, at + done, plane, row, from, to)
      done += to - from
    }
  }

  return (out, start) => {
    for (let at = 0; at < out.length; ) {
      const plane = Math.floor((start + at) / planeLength)
      const offset = start + at - plane * planeLength
      const length = Math.min(out.length - at, planeLength - offset)
      writePlane(out, at, plane, offset, length)
      at += length
    }
  }
}

/** Copies `length` elements of a table or a line. */
export function copy(from: Elements, fromIndex: number, to: Elements, toIndex: number, length: number): void {
  if (length >= SHORT_ROW) {
    to.set(from.subarray(fromIndex, fromIndex + length), toIndex)
    return
  }
  for (let i = 0; i < length; i++) to[toIndex + i] = from[fromIndex + i]!
}

/** `line` if it is long enough, else a new one of the type of `out`. */
function atLeast(line: Elements, length: number, out: Elements): Elements {
  if (line.length >= length) return line
  return out instanceof Float32Array ? new Float32Array(length) : new Int32Array(length)
}
