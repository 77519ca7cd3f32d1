import type { Model } from '../embeddings/model.js'
import { rounded } from '../tensors/sixteen-bits.js'
import { type Arithmetic, arithmeticOf } from './arithmetic.js'
import { embeddingWidth, type Pooling } from './pooling.js'
import { RowSum } from './row-sum.js'

/** Makes embeddings of lists of ids with one static model. */
export class Pool {
  readonly #arithmetic: Arithmetic
  readonly #sum: Float32Array | Float64Array
  readonly #row: Float32Array

  readonly #width: number

  /** @param dimensions how many of an embedding's first numbers are wanted, at most as many as it has */
  constructor(
    private readonly model: Model,
    private readonly pooling: Pooling,
    readonly dimensions = embeddingWidth(pooling, model.spec.embeddingDim),
  ) {
    const { embeddingDim } = model.spec
    this.#width = embeddingWidth(pooling, embeddingDim)
    this.#arithmetic = arithmeticOf(model, pooling)
    this.#sum = this.#arithmetic.isDouble ? new Float64Array(embeddingDim) : new Float32Array(embeddingDim)
    this.#row = new Float32Array(embeddingDim)
  }

  /** The sum of the rows of an embedding's ids, to which they are added; one at a time. */
  begin(): RowSum<Float32Array | Float64Array> {
    const { tokenTable: table, workspace } = this.model
    return new RowSum(this.#sum, { table, workspace }, this.#arithmetic)
  }

  /**
   * One embedding, float32 [dimensions]: the mean of the ids' rows, normalized where the model normalizes, and cut
   * to what the model gives. One that the request shortens further is normalized again. No ids → zeros. It is good until the next one is asked for.
   *
   * @param rows those of a text's ids, `maxLength` at most
   */
  embedding({ sum, count }: RowSum<Float32Array | Float64Array>): Float32Array {
    const row = this.#row
    for (let c = 0; c < row.length; c++) row[c] = count > 0 ? this.#arithmetic.mean(sum[c], count) : 0
    if (this.pooling.normalize) normalize(row, this.pooling)
    const part = row.subarray(0, this.dimensions)
    if (this.pooling.normalize && this.dimensions < this.#width) normalize(part, this.pooling)
    return part
  }
}

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
  for (let c = 0; c < row.length; c++) row[c] = rounded(Math.fround(row[c] / divisor), dtype)
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
  for (let i = LANES; i < inLanes; i++) lanes[i % LANES] += x[i]
  let sum = inLanes === 0 ? 0 : laneSum(lanes)
  for (let i = inLanes; i < n; i++) sum = Math.fround(sum + x[i])
  return sum
}

function laneSum(lanes: Float32Array): number {
  const pair = (i: number) => Math.fround(lanes[i] + lanes[i + 1])
  return Math.fround(Math.fround(pair(0) + pair(2)) + Math.fround(pair(4) + pair(6)))
}
