const fround = Math.fround

/**
 * DeBERTa v2's bucket of a distance query − key: distances up to half of `buckets` have one each, farther ones share
 * logarithmically wider buckets; `maxPosition − 1` falls into bucket `buckets − 1`, farther ones into higher buckets.
 * `debertaBucket(256, 512)`: 128 → 128, 600 → 270, −600 → −270.
 *
 * In float32 like `make_log_bucket_position` of transformers. Microsoft's float64 original differs, for 128 buckets and
 * maximum 513, at 128, 256 and 1024, where a logarithm is a last bit above a whole number.
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
