import { expect, test } from 'vitest'
import { byteText, shareText } from '../../src/cli/terminal.js'

test.each([
  [157_000_000, 548_000_000, '157 of 548 MB'],
  [1_050_673_296, 16_060_522_496, '1.1 of 16.1 GB'],
  [3, 40, '3 of 40 B'],
  [999_499, 1_000_000, '1.0 of 1.0 MB'],
])('a share of %i of %i is %s', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1536, '1.5 kB'],
  [99_960, '100 kB'],
  [999_600, '1.0 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(byteText(bytes)).toBe(text)
})
