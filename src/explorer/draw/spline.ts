/** The uniform cubic B-spline over values, from 0 to 1: smooth, and at its ends the first and the last of them. */
export function spline(values: readonly number[]): (at: number) => number {
  const last = values.length - 1
  // Before the first and after the last, the line through the two at that end goes on: so the curve ends in them.
  const value = (index: number) => {
    if (index < 0) return 2 * values[0] - values[1]
    return index > last ? 2 * values[last] - values[last - 1] : values[index]
  }
  return (at) => {
    const part = Math.min(last - 1, Math.floor(at * last))
    const t = at * last - part
    const [a, b, c, d] = [value(part - 1), value(part), value(part + 1), value(part + 2)]
    const weights = [(1 - t) ** 3, 4 - 6 * t ** 2 + 3 * t ** 3, 1 + 3 * t + 3 * t ** 2 - 3 * t ** 3, t ** 3]
    return (a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3]) / 6
  }
}
