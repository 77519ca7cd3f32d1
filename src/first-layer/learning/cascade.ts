const LEVELS = 4
/** At least so many values, as a power of two, are summed one after the other before a level carries. */
const SHORTEST_RUN_LOG2 = 4

/** PyTorch's sum of x [batch, columns] over its first axis, to the bit: that of the gradients of broadcast position rows. */
export function sumOverBatch(x: Float32Array, batch: number, columns: number): Float32Array {
  if (columns === 1 && batch >= 8) return contiguousSum(x)
  // Vectors of columns are summed as cascades, those that are left in four ways.
  const whole = columns - (columns % (columns >= 8 ? 32 : 4))
  const sums = new Float32Array(columns)
  sums.set(cascade(x, 0, columns, batch, whole))
  sums.set(fourCascades(x, whole, columns, batch, columns - whole), whole)
  return sums
}

/** [batch] → [1]: eight lanes, then lane by lane onto the rest. */
function contiguousSum(x: Float32Array): Float32Array {
  const whole = x.length - (x.length % 8)
  const total = new Float32Array(1)
  for (const value of x.subarray(whole)) total[0] += value
  for (const lane of fourCascades(x, 0, 8, whole / 8, 8)) total[0] += lane
  return total
}

/** Rows k, k + 4, … are cascades for k from 0 to 3; the last rows are added to the first of them. */
function fourCascades(
  x: Float32Array,
  at: number,
  stride: number,
  rows: number,
  width: number,
): Float32Array {
  const each = Math.floor(rows / 4)
  const [total, ...others] = [0, 1, 2, 3].map((k) => cascade(x, at + k * stride, 4 * stride, each, width))
  for (let row = 4 * each; row < rows; row++) addTo(total, x, at + row * stride)
  for (const other of others) addTo(total, other)
  return total
}

/**
 * Sums `rows` rows of `width` numbers, the first at `at`, `stride` apart: level 1 takes over level 0 after each run of 16 rows (more
 * from 2^19 rows on), level 2 takes over level 1 after each run of runs, and so on.
 *
 * Source: PyTorch 2.15, aten/src/ATen/native/cpu/SumKernel.cpp, `multi_row_sum`.
 */
function cascade(x: Float32Array, at: number, stride: number, rows: number, width: number): Float32Array {
  const bits = rows > 1 ? 32 - Math.clz32(rows - 1) : 0
  const log2 = Math.max(SHORTEST_RUN_LOG2, Math.floor(bits / LEVELS))
  const levels = Array.from({ length: LEVELS }, () => new Float32Array(width))
  for (let row = 0; row < rows; row++) {
    addTo(levels[0], x, at + row * stride)
    for (let level = 1; level < LEVELS && (row + 1) % 2 ** (log2 * level) === 0; level++) {
      addTo(levels[level], levels[level - 1])
      levels[level - 1].fill(0)
    }
  }
  const [total, ...above] = levels
  for (const level of above) addTo(total, level)
  return total
}

function addTo(sums: Float32Array, values: Float32Array, at = 0): void {
  for (let i = 0; i < sums.length; i++) sums[i] += values[at + i]
}
