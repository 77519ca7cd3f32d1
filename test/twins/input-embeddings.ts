/** The inputs of the embedding op as plain arrays. */
export interface Lookup {
  readonly dim: number
  /** [V, C] */
  readonly table: Float32Array
  readonly ids: Int32Array
  /** [P, C] */
  readonly positions?: Float32Array
  readonly positionStart: number
  readonly contextLength: number
  readonly firstRow: number
}

/** out[i, c] = table[ids[i], c] (+ positions[positionStart + (firstRow + i) mod T, c]), element by element. */
export function gatherAndAddTwin(lookup: Lookup): Float32Array {
  const { dim, table, ids, positions, positionStart, contextLength, firstRow } = lookup
  const out = new Float32Array(ids.length * dim)
  ids.forEach((id, i) => {
    const position = positionStart + ((firstRow + i) % contextLength)
    for (let c = 0; c < dim; c++) {
      const token = table[id * dim + c]
      out[i * dim + c] = positions ? Math.fround(token + positions[position * dim + c]) : token
    }
  })
  return out
}
