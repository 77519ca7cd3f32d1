/**
 * The law of hashed n-grams with BigInt, slowly: a port of NumPy's for Qwen4-Exp and BLT. The rows of each token of one text,
 * [T][H].
 *
 * @param hashes `{ combine, multipliers, sizes, offsets }`; multipliers of the n-gram's last token first, as BigInt
 * @param before the ids before its first token
 */
export function slowRows(ids, hashes, { fill, stopsAtFill }, before = []) {
  const all = [...before, ...ids]
  return ids.map((_, t) => {
    const at = before.length + t
    const lastFill = stopsAtFill ? all.lastIndexOf(fill, at - 1) : -1
    const seen = (k) => (at - k < 0 || (k > 0 && at > 0 && at - k < lastFill) ? fill : all[at - k])
    return hashes.flatMap(({ combine, multipliers, sizes, offsets }) => {
      let mixed = 0n
      for (const [k, multiplier] of multipliers.entries()) {
        const product = BigInt(seen(k)) * multiplier
        mixed = BigInt.asIntN(64, combine === 'xor' ? mixed ^ BigInt.asIntN(64, product) : mixed + product)
      }
      return sizes.map((size, h) => {
        const rest = mixed % BigInt(size)
        return Number(rest < 0n ? rest + BigInt(size) : rest) + offsets[h]
      })
    })
  })
}
