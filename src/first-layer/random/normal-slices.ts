import { BLOCK } from '../kernels/normal-kernel.js'
import type { TorchGenerator } from './generator.js'

/** Elements of a slice: some tenths of a millisecond of work. */
const SLICE_LENGTH = 1 << 16

interface NormalSlicesOptions {
  mean?: number
  std?: number
  /** Elements of one slice, a multiple of 16. */
  sliceLength?: number
  /** Called after each slice with the number of elements done so far, the last time with `out.length`. */
  onSlice?(done: number): void
}

/**
 * Fills `out` as `generator.normal(out)` does, bit for bit, in slices.
 *
 * @throws RangeError when `std` is negative
 */
export function fillNormal(
  generator: TorchGenerator,
  out: Float32Array,
  { mean = 0, std = 1, sliceLength = SLICE_LENGTH, onSlice }: NormalSlicesOptions = {},
): void {
  const length = out.length
  // A slice of whole blocks gets the numbers that this part of the whole tensor would get. The last slice has at
  // least one whole block, because a remainder redraws elements before it.
  for (let start = 0; start === 0 || start < length; ) {
    const end = length - start >= sliceLength + BLOCK ? start + sliceLength : length
    generator.normal(out.subarray(start, end), mean, std)
    if (end === 0) return
    onSlice?.(end)
    start = end
  }
}

/**
 * Moves the generator on as `normal` with `count` elements would, without computing numbers.
 *
 * From 16 elements on, `normal` draws a word for each, and sixteen more where a remainder redraws the last block.
 */
export function skipNormal(generator: TorchGenerator, count: number): void {
  if (count < BLOCK) generator.normal(new Float32Array(count))
  else generator.skip(count % BLOCK === 0 ? count : count + BLOCK)
}
