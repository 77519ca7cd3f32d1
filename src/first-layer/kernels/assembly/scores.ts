// Dot products of queries with every row of a table and the rows' sums of squares, for the search for neighbours. Reads
// the table once for all queries.

import { Bfloat16, Float16, firstFour, lastFour, one } from './stored'

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

/** One row with four queries, one after the other in memory: the row is widened once for all. */
// @inline
function scoreFour<Stored>(out: usize, row: usize, query: usize, width: u32): void {
  const size = sizeof<Stored>()
  const end = row + <usize>width * size
  const queryBytes: usize = 4 * width
  let dots0 = f32x4.splat(0)
  let dots1 = f32x4.splat(0)
  let dots2 = f32x4.splat(0)
  let dots3 = f32x4.splat(0)
  for (; row + 8 * size <= end; row += 8 * size, query += 32) {
    const loaded = v128.load(row)
    const first = firstFour<Stored>(loaded)
    const last = lastFour<Stored>(loaded, row)
    const query1 = query + queryBytes
    const query2 = query1 + queryBytes
    const query3 = query2 + queryBytes
    dots0 = f32x4.add(dots0, f32x4.mul(first, v128.load(query)))
    dots1 = f32x4.add(dots1, f32x4.mul(first, v128.load(query1)))
    dots2 = f32x4.add(dots2, f32x4.mul(first, v128.load(query2)))
    dots3 = f32x4.add(dots3, f32x4.mul(first, v128.load(query3)))
    dots0 = f32x4.add(dots0, f32x4.mul(last, v128.load(query, 16)))
    dots1 = f32x4.add(dots1, f32x4.mul(last, v128.load(query1, 16)))
    dots2 = f32x4.add(dots2, f32x4.mul(last, v128.load(query2, 16)))
    dots3 = f32x4.add(dots3, f32x4.mul(last, v128.load(query3, 16)))
  }
  let dot0 = sumOfLanes(dots0)
  let dot1 = sumOfLanes(dots1)
  let dot2 = sumOfLanes(dots2)
  let dot3 = sumOfLanes(dots3)
  for (; row < end; row += size, query += 4) {
    const value = f32x4.extract_lane(one<Stored>(row), 0)
    dot0 += value * load<f32>(query)
    dot1 += value * load<f32>(query + queryBytes)
    dot2 += value * load<f32>(query + 2 * queryBytes)
    dot3 += value * load<f32>(query + 3 * queryBytes)
  }
  store<f32>(out, dot0)
  store<f32>(out + 4, dot1)
  store<f32>(out + 8, dot2)
  store<f32>(out + 12, dot3)
}

function scoreAll<Stored>(
  out: usize,
  squares: usize,
  table: usize,
  rows: u32,
  width: u32,
  queries: usize,
  count: u32,
): void {
  const rowBytes: usize = sizeof<Stored>() * width
  const queryBytes: usize = 4 * width
  for (let row: u32 = 0; row < rows; row++, table += rowBytes, out += 4 * count) {
    if (squares !== 0) store<f32>(squares + 4 * row, squareOf<Stored>(table, width))
    let query: u32 = 0
    for (; query + 4 <= count; query += 4) {
      scoreFour<Stored>(out + 4 * query, table, queries + query * queryBytes, width)
    }
    for (; query < count; query++) {
      store<f32>(out + 4 * query, dotOf<Stored>(table, queries + query * queryBytes, width))
    }
  }
}

/**
 * out[row, query] = table[row, :] · queries[query, :], and squares[row] = table[row, :] · table[row, :] unless that pointer is
 * 0, in float32. `type` is the table's storage type (0 float32, 1 float16, 2 bfloat16); queries are float32.
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
): void {
  if (type === 0) scoreAll<f32>(out, squares, table, rows, width, queries, count)
  else if (type === 1) scoreAll<Float16>(out, squares, table, rows, width, queries, count)
  else scoreAll<Bfloat16>(out, squares, table, rows, width, queries, count)
}
