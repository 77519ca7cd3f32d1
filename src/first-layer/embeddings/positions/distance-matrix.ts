/** The array of an element type; `fill` and `set` are the same on both. */
type Elements = Float32Array | Int32Array

/**
 * A tensor [planes, T, K, width] whose entries depend on the plane and on the distance key − query alone:
 * queries stand at `firstQuery` … `firstQuery + T − 1`, keys at 0 … K−1.
 */
export interface DistanceMatrix<Out extends Elements> {
  readonly planes: number
  readonly queries: number
  readonly keys: number
  /** Elements of one entry: 1 for a bias or an index, D for rows of a table. */
  readonly width: number
  readonly firstQuery: number
  readonly newArray: (length: number) => Out
  /** Writes the entries of the distances `distance` … `distance + count − 1`, from `out[at]` on. */
  readonly write: (out: Out, at: number, distance: number, count: number, plane: number) => void
}

/** Rows shorter than this are copied in a loop: a view and a `set` cost more. */
const SHORT_ROW = 64

/**
 * A `fill` for such a tensor. All rows of a plane are windows of one line of distances, each row one step to
 * to the left of the row above. So `fill` computes the part of that line that a block needs once, and copies the
 * rows. Extra memory: at most about twice the block.
 *
 * T = 2, K = 3, firstQuery 0, entries = distance: the line −1 0 1 2 gives the rows `0 1 2` and `−1 0 1`.
 */
export function fillByDistance<Out extends Elements>(
  matrix: DistanceMatrix<Out>,
): (out: Out, start: number) => void {
  const rowLength = matrix.keys * matrix.width
  const planeLength = matrix.queries * rowLength
  let line = matrix.newArray(0)

  /** Columns `from` … `to − 1` of one row, through a line of just these distances. */
  function writeSegment(out: Out, at: number, plane: number, row: number, from: number, to: number): void {
    const { width, firstQuery, write } = matrix
    const firstKey = Math.floor(from / width)
    const keys = Math.ceil(to / width) - firstKey
    const distance = firstKey - (firstQuery + row)
    if (keys * width === to - from) {
      write(out, at, distance, keys, plane)
      return
    }
    line = atLeast(line, keys * width, matrix.newArray)
    write(line, 0, distance, keys, plane)
    copy(line, from - firstKey * width, out, at, to - from)
  }

  /** Elements `offset` … of one plane, whole rows or parts of rows. */
  function writePlane(out: Out, at: number, plane: number, offset: number, length: number): void {
    const firstRow = Math.floor(offset / rowLength)
    const lastRow = Math.floor((offset + length - 1) / rowLength)
    const shared = lastRow - firstRow >= 2
    if (shared) {
      const entries = matrix.keys + lastRow - firstRow
      line = atLeast(line, entries * matrix.width, matrix.newArray)
      matrix.write(line, 0, -(matrix.firstQuery + lastRow), entries, plane)
    }
    for (let done = 0; done < length; ) {
      const row = Math.floor((offset + done) / rowLength)
      const from = offset + done - row * rowLength
      const to = Math.min(rowLength, from + length - done)
      if (shared) copy(line, (lastRow - row) * matrix.width + from, out, at + done, to - from)
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
export function copy<Out extends Elements>(
  from: Out,
  fromIndex: number,
  to: Out,
  toIndex: number,
  length: number,
): void {
  if (length >= SHORT_ROW) {
    to.set(from.subarray(fromIndex, fromIndex + length), toIndex)
    return
  }
  for (let i = 0; i < length; i++) to[toIndex + i] = from[fromIndex + i]!
}

function atLeast<Out extends Elements>(array: Out, length: number, newArray: (length: number) => Out): Out {
  return array.length >= length ? array : newArray(length)
}
