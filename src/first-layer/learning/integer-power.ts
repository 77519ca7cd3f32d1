/** 2^27 + 1: splits a float64 number into halves whose products are exact. */
const SPLITTER = 134_217_729

/** A number as high + low, about 106 bits. */
type Double = readonly [high: number, low: number]

/**
 * base^exponent in float64: 0.9^2 → 0.81. `Math.pow` may be another number in another engine; this is the same
 * everywhere, and but for the rarest cases the one that is nearest.
 *
 * @param base 0 … 1
 * @param exponent a whole number from 1 on
 */
export function integerPower(base: number, exponent: number): number {
  let power: Double = [base, 0]
  let result: Double = [1, 0]
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = product(result, power)
    power = product(power, power)
  }
  return result[0]
}

/** Dekker's product. Source: T. J. Dekker, "A floating-point technique for extending the available precision", 1971. */
function product([a, aLow]: Double, [b, bLow]: Double): Double {
  const high = a * b
  const [a1, a2] = halves(a)
  const [b1, b2] = halves(b)
  const error = a2 * b2 - (high - a1 * b1 - a2 * b1 - a1 * b2)
  const low = error + (a * bLow + aLow * b)
  const sum = high + low
  return [sum, low - (sum - high)]
}

function halves(value: number): Double {
  const scaled = SPLITTER * value
  const high = scaled - (scaled - value)
  return [high, value - high]
}
