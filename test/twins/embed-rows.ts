export interface Rows {
  table: Float32Array
  ids: ArrayLike<number>
  dim: number
  positions?: Float32Array | undefined
  positionStart: number
  firstRow: number
  contextLength: number
}

/** Twin of `embedRows`: one number after the other. */
export function embedRowsTwin({
  table,
  ids,
  dim,
  positions,
  positionStart,
  firstRow,
  contextLength,
}: Rows): Float32Array {
  const out = new Float32Array(ids.length * dim)
  for (let i = 0; i < ids.length; i++) {
    const position = positionStart + ((firstRow + i) % contextLength)
    for (let j = 0; j < dim; j++) {
      const value = table[ids[i]! * dim + j]!
      out[i * dim + j] = positions ? Math.fround(value + positions[position * dim + j]!) : value
    }
  }
  return out
}
