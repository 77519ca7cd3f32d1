/**
 * The shortest digits that give the same float32 back, as the service writes them: 0.676421 for the float32 that is
 * 0.6764209866523743 as a double.
 */
export function digitsOf(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return minus(String(value).replace('Infinity', '∞'))
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits))
    if (Math.fround(text) === value) return minus(String(text))
  }
  return minus(String(Number(value.toPrecision(9))))
}

/** A number in few digits, where it is only to be compared: 0.4969 → 0.497. */
export function rounded(value: number, digits = 3): string {
  return minus(value.toFixed(digits))
}

/** 100000 → 100,000. */
export function counted(value: number): string {
  return value.toLocaleString('en-GB')
}

/** The sign of minus, as wide as the plus. */
function minus(text: string): string {
  return text.replaceAll('-', '−')
}

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const plural = new Intl.PluralRules('en', { type: 'ordinal' })

/** 3798 → 3,798th. */
export function ordinal(value: number): string {
  return `${counted(value)}${ENDINGS[plural.select(value)]}`
}
