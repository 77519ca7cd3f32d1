const fround = Math.fround

/**
 * DeBERTa v2's bucket of a distance query − key: up to half of `buckets` each distance has its own, farther ones
 * share logarithmically wider buckets; `maxPosition − 1` falls into the last one, `buckets − 1`, and farther
 * ones go on counting. `debertaBucket(256, 512)`: 128 → 128, 600 → 270, −600 → −270.
 *
 * In float32 like `make_log_bucket_position` of transformers: Microsoft's float64 original differs at
 * (buckets 128, maximum 513) in 128, 256, 1024, where a logarithm is a last bit above a whole number.
 */
export function debertaBucket(buckets: number, maxPosition: number): (distance: number) => number {
  const exact = Math.floor(buckets / 2)
  const logRange = fround(Math.log(fround((maxPosition - 1) / exact)))
  return (distance) => {
    const far = Math.abs(distance)
    if (far <= exact) return distance
    const part = fround(fround(Math.log(fround(far / exact))) / logRange)
    const bucket = Math.ceil(fround(part * (exact - 1))) + exact
    return distance < 0 ? -bucket : bucket
  }
}
