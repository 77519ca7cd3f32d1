import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The 64 leading bits of 10^exponent, rounded up. */
function leadingBits(exponent: number): bigint {
  const power = 10n ** BigInt(Math.abs(exponent))
  const scaled = exponent < 0 ? (1n << 300n) / power + 1n : power << 300n
  const extra = BigInt(scaled.toString(2).length - 64)
  const kept = scaled >> extra
  return kept << extra === scaled ? kept : kept + 1n
}

test('the table of powers of ten holds their leading bits', () => {
  const source = readFileSync(
    new URL('../../../src/first-layer/kernels/assembly/decimal.ts', import.meta.url),
    'utf8',
  )
  const table = [...source.matchAll(/0x[0-9a-f]{16}(?=,)/g)].map(([constant]) => BigInt(constant))
  expect(table).toEqual(Array.from({ length: 77 }, (_, i) => leadingBits(i - 31)))
})
