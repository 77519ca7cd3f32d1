/** rel_shift of [queries][keys]: a zero column to the left, read as [keys + 1][queries], first row dropped. */
export function relativeShift(scores: readonly (readonly number[])[]): number[][] {
  const keys = scores[0]!.length
  const padded = scores.flatMap((row) => [0, ...row]).slice(scores.length)
  return scores.map((_, row) => padded.slice(row * keys, (row + 1) * keys))
}

interface Attention {
  readonly heads: number
  readonly head: number
  /** u and v, [H, D]. */
  readonly contentBias: Float32Array
  readonly positionBias: Float32Array
  /** R [keys, H·D]; its projection is the identity. */
  readonly relative: Float32Array
  /** [queries, H, D] and [keys, H, D]. */
  readonly queries: Float32Array
  readonly keys: Float32Array
}

/** ((q + u)·k + rel_shift((q + v)·R)) / √D of one head, in double. Only keys j ≤ i + M mean something. */
export function transformerXlScores(attention: Attention): number[][] {
  const { heads, head, contentBias, positionBias, relative, queries, keys } = attention
  const width = contentBias.length
  const headDim = width / heads
  const at = head * headDim
  const dot = (query: number, bias: Float32Array, rows: Float32Array, row: number) => {
    let sum = 0
    for (let d = at; d < at + headDim; d++) {
      sum += (queries[query * width + d]! + bias[d]!) * rows[row * width + d]!
    }
    return sum
  }
  const [queryCount, keyCount] = [queries.length / width, keys.length / width]
  const grid = (bias: Float32Array, rows: Float32Array) =>
    Array.from({ length: queryCount }, (_, i) =>
      Array.from({ length: keyCount }, (_, j) => dot(i, bias, rows, j)),
    )
  const content = grid(contentBias, keys)
  const position = relativeShift(grid(positionBias, relative))
  return content.map((row, i) => row.map((score, j) => (score + position[i]![j]!) / Math.sqrt(headDim)))
}
