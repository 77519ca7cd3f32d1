import type { Model } from '../embeddings/model.js'
import type { FloatDtype } from '../tensors/named-tensor.js'
import { rounded } from '../tensors/sixteen-bits.js'
import { POOLING_WEIGHT, type Pooling } from './pooling.js'

/** In which types the mean of rows is computed, step by step. */
export interface Arithmetic {
  /** Whether rows are added in float64; else in float32. */
  readonly isDouble: boolean
  /** Numbers that rows are multiplied by, one for each id. */
  readonly weights: Float32Array | Float64Array | undefined
  readonly droppedId: number | undefined
  /** The exact product of a row's element and its weight, rounded to the type of the products. */
  product(exact: number): number
  /** The sum of `count` rows, divided by their number and rounded. */
  mean(sum: number, count: number): number
}

/**
 * The arithmetic of the library whose layout the model has.
 *
 * Model2Vec 0.10 works as NumPy promotes: float16 rows are added in float32, integers in float64, products in the wider
 * type of row and weight; the mean is rounded once. sentence-transformers 6.2 works as PyTorch's `EmbeddingBag` does on
 * a CPU: rows are added in float32; a sum of 16 bits is rounded, and so are the number of rows and the quotient. FBGEMM
 * rounds bfloat16 sums with ties away from zero.
 */
export function arithmeticOf(model: Model, pooling: Pooling): Arithmetic {
  const { droppedId, dtype, flavour, weights } = pooling
  const common = { droppedId, weights: weightsOf(model, pooling) }
  if (flavour === 'sentence_transformers')
    return { ...common, isDouble: false, product: Math.fround, mean: bagMean(dtype) }
  const isInteger = dtype !== model.tokenTable.dtype // int8 rows are stored in float16, which holds them exactly
  const isDouble = weights === 'float64' || (isInteger && weights === undefined)
  const isHalf = weights === 'float16' && model.tokenTable.dtype === 'float16'
  return {
    ...{ ...common, isDouble },
    product: isDouble ? (exact) => exact : isHalf ? (exact) => rounded(exact, 'float16') : Math.fround,
    mean: (sum, count) => {
      const mean = isDouble ? sum / count : Math.fround(sum / count)
      return rounded(isHalf ? rounded(mean, 'float16') : mean, dtype)
    },
  }
}

function bagMean(dtype: FloatDtype): Arithmetic['mean'] {
  if (dtype === 'float32') return (sum, count) => Math.fround(sum / count)
  const roundedSum = dtype === 'bfloat16' ? bfloat16TiesAway : (sum: number) => rounded(sum, dtype)
  return (sum, count) => rounded(roundedSum(sum) / rounded(count, dtype), dtype)
}

function weightsOf(model: Model, { weights }: Pooling): Arithmetic['weights'] {
  if (weights === undefined) return undefined
  const values = model.values(POOLING_WEIGHT)
  if (values === undefined) throw new Error(`${model.spec.id} does not hold ${POOLING_WEIGHT}.`)
  if (weights !== 'float64') return values
  return new Float64Array(values.buffer, values.byteOffset, values.length / 2)
}

const words = new Uint32Array(1)
const single = new Float32Array(words.buffer)

/**
 * A float32 rounded to bfloat16, ties away from zero, as FBGEMM does: 257 → 258, where nearest even is 256.
 */
export function bfloat16TiesAway(value: number): number {
  single[0] = value
  if (!Number.isFinite(value)) return value
  words[0] = ((words[0] + 0x8000) & 0xffff0000) >>> 0
  return single[0]
}
