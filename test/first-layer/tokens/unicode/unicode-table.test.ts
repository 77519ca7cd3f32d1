import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numbersOf } from '../../../../src/first-layer/tokens/unicode/unicode-table.js'
import { checkProperty } from '../../../property.js'

/** LEB128 by its definition: digits of base 128, the lowest first, 128 added to all but the last. */
function leb128(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) + 128, ...leb128(Math.floor(number / 128))]
}

test('numbers of one byte and of two', () => {
  expect(numbersOf([0x05, 0xac, 0x02])).toEqual([5, 300])
})

test('any numbers below 2³¹ come back', async () => {
  await checkProperty(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 })), (numbers) => {
      expect(numbersOf(numbers.flatMap(leb128))).toEqual(numbers)
    }),
    300,
  )
})
