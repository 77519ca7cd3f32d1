interface Attention {
  readonly heads: number
  readonly length: number
  /** [H, T, D] */
  readonly queries: Float32Array
  readonly keys: Float32Array
  /** [2·span, H·D]; projections are the identity. */
  readonly embeddings: Float32Array
  /** [T, T] */
  readonly c2pIndex: Int32Array
  readonly p2cIndex: Int32Array
}

/**
 * The two relative parts of DeBERTa's scores, [H, T, T] each, before scaling:
 * c2p[i, j] = q_i · row c2p_index[i, j]; p2c[i, j] = k_j · row p2c_index[j, i] (gathered by key, transposed).
 */
export function debertaScores(attention: Attention): { c2p: Float32Array; p2c: Float32Array } {
  const { heads, length, queries, keys, embeddings, c2pIndex, p2cIndex } = attention
  const headDim = queries.length / heads / length
  const dot = (vectors: Float32Array, head: number, at: number, row: number) => {
    let sum = 0
    for (let d = 0; d < headDim; d++) {
      sum += vectors[(head * length + at) * headDim + d]! * embeddings[(row * heads + head) * headDim + d]!
    }
    return sum
  }
  const c2p = new Float32Array(heads * length * length)
  const p2c = new Float32Array(heads * length * length)
  for (let head = 0, at = 0; head < heads; head++) {
    for (let i = 0; i < length; i++) {
      for (let j = 0; j < length; j++, at++) {
        c2p[at] = dot(queries, head, i, c2pIndex[i * length + j]!)
        p2c[at] = dot(keys, head, j, p2cIndex[j * length + i]!)
      }
    }
  }
  return { c2p, p2c }
}
