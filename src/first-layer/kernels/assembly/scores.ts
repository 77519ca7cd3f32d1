// Dot products of queries with every row of a table and the rows' sums of squares, for the search for neighbours. Reads
// the table once for all queries.

import { Bfloat16, Float16, firstFour, lastFour, one, widen } from './stored'

// @inline
function sumOfLanes(sums: v128): f32 {
  const pairs = f32x4.add(sums, v128.shuffle<f32>(sums, sums, 2, 3, 0, 1))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

/** The row's sum of squares. */
// @inline
function squareOf<Stored>(row: usize, width: u32): f32 {
  const size = sizeof<Stored>()
  const end = row + <usize>width * size
  let squares0 = f32x4.splat(0)
  let squares1 = f32x4.splat(0)
  for (; row + 8 * size <= end; row += 8 * size) {
    const loaded = v128.load(row)
    const first = firstFour<Stored>(loaded)
    const last = lastFour<Stored>(loaded, row)
    squares0 = f32x4.add(squares0, f32x4.mul(first, first))
    squares1 = f32x4.add(squares1, f32x4.mul(last, last))
  }
  let sum = sumOfLanes(f32x4.add(squares0, squares1))
  for (; row < end; row += size) {
    const value = f32x4.extract_lane(one<Stored>(row), 0)
    sum += value * value
  }
  return sum
}

/** The dot product of a row and a query. */
// @inline
function dotOf<Stored>(row: usize, query: usize, width: u32): f32 {
  const size = sizeof<Stored>()
  const end = row + <usize>width * size
  let dots0 = f32x4.splat(0)
  let dots1 = f32x4.splat(0)
  let dots2 = f32x4.splat(0)
  let dots3 = f32x4.splat(0)
  for (; row + 16 * size <= end; row += 16 * size, query += 64) {
    const loaded = v128.load(row)
    const next = row + 8 * size
    const loadedNext = v128.load(next)
    dots0 = f32x4.add(dots0, f32x4.mul(firstFour<Stored>(loaded), v128.load(query)))
    dots1 = f32x4.add(dots1, f32x4.mul(lastFour<Stored>(loaded, row), v128.load(query, 16)))
    dots2 = f32x4.add(dots2, f32x4.mul(firstFour<Stored>(loadedNext), v128.load(query, 32)))
    dots3 = f32x4.add(dots3, f32x4.mul(lastFour<Stored>(loadedNext, next), v128.load(query, 48)))
  }
  let dot = sumOfLanes(f32x4.add(f32x4.add(dots0, dots1), f32x4.add(dots2, dots3)))
  for (; row < end; row += size, query += 4) {
    dot += f32x4.extract_lane(one<Stored>(row), 0) * load<f32>(query)
  }
  return dot
}

/** Numbers of a row that are compared at once: two rows of them, as float32, and a query's stay in the nearest cache. */
const PART: u32 = 2048

/**
 * Two rows of float32 with four queries, one after the other in memory: eight sums, none of which waits for another, and
 * each query's numbers are loaded once for both rows. Adds to what `out` has, unless this is the rows' first part.
 */
// @inline
function scoreTile(
  out: usize,
  outBytes: usize,
  row: usize,
  rowBytes: usize,
  query: usize,
  queryBytes: usize,
  width: u32,
  isFirst: bool,
): void {
  const end = row + 4 * <usize>width
  let query1 = query + queryBytes
  let query2 = query1 + queryBytes
  let query3 = query2 + queryBytes
  let next = row + rowBytes
  let dots0 = f32x4.splat(0)
  let dots1 = f32x4.splat(0)
  let dots2 = f32x4.splat(0)
  let dots3 = f32x4.splat(0)
  let nextDots0 = f32x4.splat(0)
  let nextDots1 = f32x4.splat(0)
  let nextDots2 = f32x4.splat(0)
  let nextDots3 = f32x4.splat(0)
  for (; row + 16 <= end; row += 16, next += 16, query += 16, query1 += 16, query2 += 16, query3 += 16) {
    const first = v128.load(row)
    const second = v128.load(next)
    let asked = v128.load(query)
    dots0 = f32x4.add(dots0, f32x4.mul(first, asked))
    nextDots0 = f32x4.add(nextDots0, f32x4.mul(second, asked))
    asked = v128.load(query1)
    dots1 = f32x4.add(dots1, f32x4.mul(first, asked))
    nextDots1 = f32x4.add(nextDots1, f32x4.mul(second, asked))
    asked = v128.load(query2)
    dots2 = f32x4.add(dots2, f32x4.mul(first, asked))
    nextDots2 = f32x4.add(nextDots2, f32x4.mul(second, asked))
    asked = v128.load(query3)
    dots3 = f32x4.add(dots3, f32x4.mul(first, asked))
    nextDots3 = f32x4.add(nextDots3, f32x4.mul(second, asked))
  }
  let dots = sumsOfLanes(dots0, dots1, dots2, dots3)
  let nextDots = sumsOfLanes(nextDots0, nextDots1, nextDots2, nextDots3)
  for (; row < end; row += 4, next += 4, query += 4, query1 += 4, query2 += 4, query3 += 4) {
    let asked = v128.load32_zero(query)
    asked = v128.load32_lane(query1, asked, 1)
    asked = v128.load32_lane(query2, asked, 2)
    asked = v128.load32_lane(query3, asked, 3)
    dots = f32x4.add(dots, f32x4.mul(v128.load32_splat(row), asked))
    nextDots = f32x4.add(nextDots, f32x4.mul(v128.load32_splat(next), asked))
  }
  if (!isFirst) {
    dots = f32x4.add(dots, v128.load(out))
    nextDots = f32x4.add(nextDots, v128.load(out + outBytes))
  }
  v128.store(out, dots)
  v128.store(out + outBytes, nextDots)
}

/** The sums of each one's lanes, in the lanes. */
// @inline
function sumsOfLanes(first: v128, second: v128, third: v128, fourth: v128): v128 {
  const firstTwo = f32x4.add(
    v128.shuffle<f32>(first, second, 0, 4, 1, 5),
    v128.shuffle<f32>(first, second, 2, 6, 3, 7),
  )
  const lastTwo = f32x4.add(
    v128.shuffle<f32>(third, fourth, 0, 4, 1, 5),
    v128.shuffle<f32>(third, fourth, 2, 6, 3, 7),
  )
  return f32x4.add(
    v128.shuffle<f32>(firstTwo, lastTwo, 0, 1, 4, 5),
    v128.shuffle<f32>(firstTwo, lastTwo, 2, 3, 6, 7),
  )
}

/**
 * Two rows, `apart` bytes from each other, with all queries in fours: 16-bit rows are widened once for all of them.
 */
// @inline
function scoreTwo<Stored>(
  out: usize,
  outApart: usize,
  table: usize,
  apart: usize,
  width: u32,
  queries: usize,
  fours: u32,
  scratch: usize,
): void {
  const queryBytes: usize = 4 * width
  for (let at: u32 = 0; at < width; at += PART) {
    const part = min(PART, width - at)
    let rows = table + sizeof<Stored>() * <usize>at
    let rowsApart = apart
    if (!isFloat<Stored>()) {
      widen<Stored>(scratch, rows, part)
      widen<Stored>(scratch + 4 * PART, rows + apart, part)
      rows = scratch
      rowsApart = 4 * PART
    }
    for (let query: u32 = 0; query < fours; query += 4) {
      const asked = queries + query * queryBytes + 4 * at
      scoreTile(out + 4 * query, outApart, rows, rowsApart, asked, queryBytes, part, at === 0)
    }
  }
}

function scoreAll<Stored>(
  out: usize,
  squares: usize,
  table: usize,
  rows: u32,
  width: u32,
  queries: usize,
  count: u32,
  scratch: usize,
): void {
  const rowBytes: usize = sizeof<Stored>() * width
  const queryBytes: usize = 4 * width
  const outBytes: usize = 4 * count
  const fours = count & ~3
  // A row of the first half with one of the second: each half is read from its beginning to its end, as processors fetch
  // ahead. Of an odd number the last row has all queries one by one.
  const half = fours > 0 ? rows >> 1 : 0
  const apart = half * rowBytes
  const outApart = half * outBytes
  for (let row: u32 = 0; row < half; row++) {
    const to = out + row * outBytes
    scoreTwo<Stored>(to, outApart, table + row * rowBytes, apart, width, queries, fours, scratch)
  }
  for (let row: u32 = 0; row < rows; row++, table += rowBytes, out += outBytes) {
    if (squares !== 0) store<f32>(squares + 4 * row, squareOf<Stored>(table, width))
    for (let query: u32 = row < 2 * half ? fours : 0; query < count; query++) {
      store<f32>(out + 4 * query, dotOf<Stored>(table, queries + query * queryBytes, width))
    }
  }
}

/**
 * out[row, query] = table[row, :] · queries[query, :], and squares[row] = table[row, :] · table[row, :] unless that pointer is
 * 0, in float32. `type` is the table's storage type (0 float32, 1 float16, 2 bfloat16); queries are float32; `scratch` has
 * 16 KiB.
 */
export function scoreRows(
  out: usize,
  squares: usize,
  table: usize,
  type: u32,
  rows: u32,
  width: u32,
  queries: usize,
  count: u32,
  scratch: usize,
): void {
  if (type === 0) scoreAll<f32>(out, squares, table, rows, width, queries, count, scratch)
  else if (type === 1) scoreAll<Float16>(out, squares, table, rows, width, queries, count, scratch)
  else scoreAll<Bfloat16>(out, squares, table, rows, width, queries, count, scratch)
}
