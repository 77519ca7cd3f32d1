import { type Convert, instantiate } from './kernels.js'

/**
 * Numbers of 32 bits in an entry of `addRows`: addresses of target and source, {@link BEGINS}, {@link ENDS} or both, and none;
 * the first of them in one of `squaresOfRows`. Where the kernel knows a row's sum of squares, it writes it in the place of
 * the first two, in float64.
 */
export const ADD_ENTRY = 4
/** The target's sum begins with this source. */
export const BEGINS = 1
/** The target's sum ends with it. */
export const ENDS = 2
/**
 * Numbers of 32 bits in an entry of an optimizer's kernel: addresses of the row, its gradient and its state; the kernel
 * writes the fourth: 1 where a bit of the row has changed, else 0.
 */
export const STEP_ENTRY = 4

/**
 * The inner loops of learning, all in float32 but where it is said. Pointers are byte offsets into the memory given to
 * {@link instantiateLearningKernels}. Numbers that are given are rounded to float32. Operations round once each, and
 * a·b + c once in all where PyTorch's do; the order of everything is fixed, so that results are the same everywhere.
 *
 * An optimizer's kernel changes `count` rows of `dim` numbers and their states, which lie `stateBytes` apart where there
 * are several, and returns the sum of (new − old)² in float64. `scale` multiplies the gradients first. A `decay` of 0 is
 * none.
 */
export interface LearningKernels {
  /**
   * target += source for `count` entries, one after the other: several entries may have the same target. Writes Σ x²
   * in float64 of each sum that ends.
   */
  addRows(entries: number, count: number, dim: number): void
  /** Writes Σ x² in float64 of each row of `dim` numbers, to the same bits. */
  squaresOfRows(entries: number, count: number, dim: number): void
  /** The index of the first number that is NaN or infinite; `count` where all are finite. */
  firstNonFinite(values: number, count: number): number
  /** Copies bytes within the memory. The places may overlap. */
  moveBytes(target: number, source: number, count: number): void
  /** float16 → float32, exact. */
  widenFloat16: Convert
  /** bfloat16 → float32, exact. */
  widenBfloat16: Convert

  /**
   * g = fma(decay, p, g); buf = fma(kept, g, buf·momentum), or g where `isFirst`; g = fma(momentum, buf, g) under
   * `nesterov`, else buf; p = fma(minusRate, g, p). A `momentum` of 0 has no buffer.
   */
  sgdRows(
    entries: number,
    count: number,
    dim: number,
    scale: number,
    minusRate: number,
    decay: number,
    momentum: number,
    kept: number,
    nesterov: boolean,
    isFirst: boolean,
  ): number
  /** g = fma(decay, p, g); sum = fma(g, g, sum); p += (minusRate·g) / (√sum + epsilon). */
  adagradRows(
    entries: number,
    count: number,
    dim: number,
    scale: number,
    minusRate: number,
    decay: number,
    epsilon: number,
  ): number
  /**
   * p *= shrink; g = fma(decay, p, g); m = fma(weight, g − m, m), or fma(weight, g − m, g) where `fromGradient`;
   * v = fma(newSquares·g, g, v·keptSquares); v̂ = max(v̂, v) under `amsgrad`, else v;
   * p += (minusStep·m) / (√v̂ / root + epsilon). States: m, v, v̂.
   */
  adamRows(
    entries: number,
    count: number,
    dim: number,
    scale: number,
    stateBytes: number,
    decay: number,
    shrink: number,
    weight: number,
    fromGradient: boolean,
    keptSquares: number,
    newSquares: number,
    amsgrad: boolean,
    minusStep: number,
    root: number,
    epsilon: number,
  ): number
  /**
   * m += (g − m)·weight; v += (g² − v)·squaresWeight; p += minusStep·(m / (√v + epsilon)). States: m, v. Nothing is
   * fused.
   */
  sparseAdamRows(
    entries: number,
    count: number,
    dim: number,
    scale: number,
    stateBytes: number,
    weight: number,
    squaresWeight: number,
    minusStep: number,
    epsilon: number,
  ): number
}

/** The kernels, working on a memory of tables and states. Synchronous; the module is compiled once per thread. */
export function instantiateLearningKernels(memory: WebAssembly.Memory): LearningKernels {
  return instantiate<LearningKernels>('learning', memory)
}
