import { Pace, type StopSignal } from '../../turn.js'
import { BLOCK } from '../kernels/normal-kernel.js'
import type { TorchGenerator } from './generator.js'

/** Elements between two looks at the clock: some tenths of a millisecond of work. */
const SLICE_LENGTH = 1 << 16

export interface NormalSlicesOptions {
  mean?: number
  std?: number
  /** Elements of one slice, a multiple of 16. */
  sliceLength?: number
  /** Called after each wait; if it throws, the fill ends with that error. */
  signal?: StopSignal
}

/**
 * Fills `out` as `generator.normal(out)` does, bit for bit, in slices: other work of the event loop runs in
 * between. After each slice it yields the number of elements done so far; the last value is `out.length`.
 *
 * `for await (const done of fillNormalInSlices(generator, table)) report(done / table.length)`
 *
 * Nobody else may use the generator during the fill. Stopping early leaves generator and array half-way.
 *
 * @throws RangeError when `sliceLength` is no positive multiple of 16, or `std` is negative
 */
export async function* fillNormalInSlices(
  generator: TorchGenerator,
  out: Float32Array,
  { mean = 0, std = 1, sliceLength = SLICE_LENGTH, signal }: NormalSlicesOptions = {},
): AsyncGenerator<number, void, void> {
  if (!Number.isInteger(sliceLength) || sliceLength < BLOCK || sliceLength % BLOCK !== 0) {
    throw new RangeError(`sliceLength must be a positive multiple of ${BLOCK}. Given: ${sliceLength}`)
  }
  const length = out.length
  // A slice of whole blocks gets the numbers that this part of the whole tensor would get. The last slice has at
  // least one whole block, because a remainder redraws elements before it.
  const pace = new Pace(signal)
  let start = 0
  while (length - start >= sliceLength + BLOCK) {
    if (pace.isOver) await pace.nextTurn()
    generator.normal(out.subarray(start, start + sliceLength), mean, std)
    start += sliceLength
    yield start
  }
  if (pace.isOver) await pace.nextTurn()
  generator.normal(out.subarray(start), mean, std)
  if (length > 0) yield length
}

/**
 * Moves the generator on as `normal` with `count` elements would, in slices, without computing numbers.
 *
 * From 16 elements on, `normal` draws a word for each, and sixteen more where a remainder redraws the last block.
 */
export async function skipNormalInSlices(
  generator: TorchGenerator,
  count: number,
  signal?: StopSignal,
): Promise<void> {
  if (count < BLOCK) {
    generator.normal(new Float32Array(count))
    return
  }
  const pace = new Pace(signal)
  let words = count % BLOCK === 0 ? count : count + BLOCK
  for (; words > 0; words -= SLICE_LENGTH) {
    if (pace.isOver) await pace.nextTurn()
    generator.skip(Math.min(words, SLICE_LENGTH))
  }
}
