/**
 * Twin of `floatsToText` for one float32: the fewest significant digits that read back as the same float32, and of
 * these the closest; of two equally close ones the even one, as ECMAScript recommends and NumPy prints.
 */
export function shortestText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`
  if (Object.is(value, -0)) return '-0'
  for (let digits = 1; digits < 9; digits++) {
    const { closest, beyond } = candidates(value, digits)
    if (Math.fround(closest) === value) return String(closest)
    // Above a power of two more numbers read back as it than below: the closest may fail where the next does not.
    if (Math.fround(beyond) === value) return String(beyond)
  }
  return String(candidates(value, 9).closest)
}

/** The numbers of so many digits that are closest to a value and next to that, away from zero. */
function candidates(value: number, digits: number): { closest: number; beyond: number } {
  const [mantissa, power] = Math.abs(value).toExponential(100).split('e') as [string, string]
  const written = mantissa.replace('.', '')
  const kept = BigInt(written.slice(0, digits))
  const rest = written.slice(digits)
  const tie = /^50*$/.test(rest)
  const up = tie ? kept % 2n === 1n : rest >= '5'
  const closest = up ? kept + 1n : kept
  const read = (integer: bigint) => Math.sign(value) * Number(`${integer}e${Number(power) - digits + 1}`)
  return { closest: read(closest), beyond: read(closest + 1n) }
}
