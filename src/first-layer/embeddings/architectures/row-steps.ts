const fround = Math.fround

/** √C as a float32 multiplier: C = 256 → 16, C = 8 → 2.828427. */
export function rootOfWidth(embeddingDim: number): number {
  return fround(Math.sqrt(embeddingDim))
}

/** Multiplies every element by a float32, in place, each product rounded once. */
export function scaleRows(rows: Float32Array, factor: number): void {
  for (let i = 0; i < rows.length; i++) rows[i] = rows[i] * factor
}

/** Adds `added` [n, C], rows that were looked up, to `rows` [n, C], in place, each sum rounded once. */
export function addRows(rows: Float32Array, added: Float32Array): void {
  for (let i = 0; i < rows.length; i++) rows[i] += added[i]
}

/** Adds `vector` [C] to each row of `rows` [n, C], in place. */
export function addVector(rows: Float32Array, vector: Float32Array): void {
  for (let i = 0; i < rows.length; i++) rows[i] += vector[i % vector.length]
}

/** LayerNorm's constants: weight and bias [C]. */
export interface LayerNorm {
  readonly epsilon: number
  /** RMSNorm: no mean is subtracted. */
  readonly isRms?: boolean | undefined
  readonly weight: Float32Array
  readonly bias: Float32Array
}

/**
 * LayerNorm over the channels of each row of `rows` [n, C], in place: (x − mean) / √(variance + ε) · weight +
 * bias, with the biased variance. `[1, 3]` with weight 1, bias 0 → `[−1, 1]`. RMSNorm is the same with a mean of 0.
 *
 * Computed in double and rounded once; PyTorch's float32 kernel is within 2e-6 of it on rows of usual size.
 */
export function normalizeRows(rows: Float32Array, { epsilon, isRms, weight, bias }: LayerNorm): void {
  const embeddingDim = weight.length
  for (let at = 0; at < rows.length; at += embeddingDim) {
    let sum = 0
    for (let c = 0; c < embeddingDim; c++) sum += rows[at + c]
    const mean = isRms ? 0 : sum / embeddingDim
    let squares = 0
    for (let c = 0; c < embeddingDim; c++) {
      const deviation = rows[at + c] - mean
      squares += deviation * deviation
    }
    const scale = 1 / Math.sqrt(squares / embeddingDim + epsilon)
    for (let c = 0; c < embeddingDim; c++) {
      rows[at + c] = (rows[at + c] - mean) * scale * weight[c] + bias[c]
    }
  }
}

/** Numbers that PyTorch's kernel works on at once. */
const LANES = 8

/**
 * {@link normalizeRows} in float32, in the order of PyTorch's kernel for AVX2 (rows of up to 128 channels: to the bit):
 * Welford's moments of each lane, added up, with multiplications and additions fused. Its last bits decide how a number
 * is rounded to 16.
 */
export function normalizeInLanes(rows: Float32Array, { epsilon, weight, bias }: LayerNorm): void {
  const width = weight.length
  const steps = Math.floor(width / LANES)
  const [means, squares] = [new Float32Array(LANES), new Float32Array(LANES)]
  for (let at = 0; at < rows.length; at += width) {
    means.fill(0)
    squares.fill(0)
    for (let c = 0; c < steps * LANES; c++) {
      const [x, lane] = [rows[at + c], c % LANES]
      const delta = fround(x - means[lane])
      means[lane] += delta * fround(1 / ((c - lane) / LANES + 1))
      squares[lane] += delta * fround(x - means[lane])
    }
    let [count, mean, square] = [0, 0, 0]
    for (let c = steps * LANES; c < width; c++) {
      const delta = fround(rows[at + c] - mean)
      mean = fround(mean + fround(delta / ++count))
      square = fround(delta * fround(rows[at + c] - mean) + square)
    }
    for (let lane = 0; lane < LANES && steps > 0; lane++) {
      const [share, delta] = [fround(steps / (count + steps)), fround(means[lane] - mean)]
      mean = fround(share * delta + mean)
      square = fround(square + fround(fround(fround(delta * delta) * share) * count + squares[lane]))
      count += steps
    }
    const scale = fround(1 / fround(Math.sqrt(fround(fround(square / width) + fround(epsilon)))))
    for (let c = 0; c < width; c++)
      rows[at + c] = fround(fround(rows[at + c] - mean) * scale) * weight[c] + bias[c]
  }
}

/** The three parts of {@link normalizeRows}, for rounding rows between them: (x − mean) / √…, · weight, + bias. */
export function normParts(norm: LayerNorm): readonly ((rows: Float32Array) => void)[] {
  const { weight, bias } = norm
  const [ones, zeros] = [weight.slice().fill(1), new Float32Array(weight.length)]
  return [
    (rows) => normalizeRows(rows, { ...norm, weight: ones, bias: zeros }),
    (rows) => {
      for (let i = 0; i < rows.length; i++) rows[i] *= weight[i % weight.length]
    },
    (rows) => addVector(rows, bias),
  ]
}

/** Multiplies every row n of `rows` [n, C] by 0 whose `attentionMask[n]` is 0: a negative number becomes −0, as in PyTorch. */
export function zeroMaskedRows(rows: Float32Array, attentionMask: Int32Array): void {
  const width = rows.length / attentionMask.length
  for (let row = 0; row < attentionMask.length; row++) {
    if (attentionMask[row] === 0) scaleRows(rows.subarray(row * width, (row + 1) * width), 0)
  }
}
