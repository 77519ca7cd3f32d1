import { expect, test } from 'vitest'
import { widened } from '../../../src/first-layer/tensors/sixteen-bits.js'
import { bfloat16Value, float16Value } from '../../twins/sixteen-bits.js'

test.each([
  ['float16', float16Value],
  ['bfloat16', bfloat16Value],
] as const)('each number of %s is widened exactly', (dtype, valueTwin) => {
  const all = Uint16Array.from({ length: 1 << 16 }, (_, bits) => bits)
  for (const [bits, value] of widened(all, dtype).entries())
    if (!Object.is(value, valueTwin(bits))) expect({ bits, value }).toEqual({ bits, value: valueTwin(bits) })
  expect(widened(all, dtype)).toHaveLength(1 << 16)
})

test('float32 numbers are not copied', () => {
  const numbers = Float32Array.of(1, 2)
  expect(widened(numbers, 'float32')).toBe(numbers)
})
