import type { Pooling } from './pooling.js'
import { rounded } from './rounding.js'

/** Most numbers that NumPy adds without halving them. */
const PAIRWISE_BLOCK = 128
const LANES = 8
/** Keeps the libraries from dividing by zero. */
const MODEL2VEC_LEAST = Math.fround(1e-32)
const TORCH_LEAST = 1e-12

/**
 * Divides a row by its Euclidean length, in place, as the library of the model's layout does: [3, 4] → [0.6, 0.8]. Zeros
 * stay zeros.
 */
export function normalize(row: Float32Array, { flavour, dtype }: Pooling): void {
  const norm = flavour === 'model2vec' ? numpyNorm(row) + MODEL2VEC_LEAST : torchNorm(row, dtype)
  const divisor = Math.fround(norm)
  if (divisor === 0) return // PyTorch's clamp at 1e-12 is 0 in float16, and its quotient NaN
  for (let c = 0; c < row.length; c++) row[c] = rounded(Math.fround(row[c]! / divisor), dtype)
}

/** `max(‖row‖₂, 1e-12)`, both rounded to `dtype`. */
function torchNorm(row: Float32Array, dtype: Pooling['dtype']): number {
  let squares = 0
  for (const x of row) squares += x * x
  return Math.max(rounded(Math.sqrt(squares), dtype), rounded(TORCH_LEAST, dtype))
}

/** `np.linalg.norm(row)` in float32, with NumPy's bits. */
function numpyNorm(row: Float32Array): number {
  const squares = row.map((x) => x * x)
  return Math.fround(Math.sqrt(pairwiseSum(squares)))
}

/** NumPy's sum of contiguous float32: halves, of at most 128 numbers, each in eight lanes. */
function pairwiseSum(x: Float32Array): number {
  const n = x.length
  if (n > PAIRWISE_BLOCK) {
    const half = (n >> 1) - ((n >> 1) % LANES)
    return Math.fround(pairwiseSum(x.subarray(0, half)) + pairwiseSum(x.subarray(half)))
  }
  const inLanes = n - (n % LANES)
  const lanes = Float32Array.from(x.subarray(0, Math.min(inLanes, LANES)))
  for (let i = LANES; i < inLanes; i++) lanes[i % LANES] += x[i]!
  let sum = inLanes === 0 ? 0 : laneSum(lanes)
  for (let i = inLanes; i < n; i++) sum = Math.fround(sum + x[i]!)
  return sum
}

function laneSum(lanes: Float32Array): number {
  const pair = (i: number) => Math.fround(lanes[i]! + lanes[i + 1]!)
  return Math.fround(Math.fround(pair(0) + pair(2)) + Math.fround(pair(4) + pair(6)))
}
