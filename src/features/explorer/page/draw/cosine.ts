/** Cosine of the angle between two rows; 0 where one of them is all zeros. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0
  let lengthA = 0
  let lengthB = 0
  for (let index = 0; index < a.length; index++) {
    product += a[index] * b[index]
    lengthA += a[index] * a[index]
    lengthB += b[index] * b[index]
  }
  return lengthA === 0 || lengthB === 0 ? 0 : product / Math.sqrt(lengthA * lengthB)
}

/** Cosines of all pairs of rows: [n, n]. */
export function cosines(values: Float32Array, rows: number, columns: number): Float32Array {
  const row = (index: number) => values.subarray(index * columns, (index + 1) * columns)
  return Float32Array.from({ length: rows * rows }, (_, pair) =>
    cosine(row(Math.floor(pair / rows)), row(pair % rows)),
  )
}
