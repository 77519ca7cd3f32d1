import { expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { fillNormal, skipNormal } from '../../../src/first-layer/random/normal-slices.js'
import { bits } from './goldens.js'

test.each([0, 1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 1000, 4096, 4097])(
  'a fill of %i in slices equals the fill at once and leaves the same state',
  async (length) => {
    const whole = new Float32Array(length)
    const atOnce = new TorchGenerator(7)
    atOnce.normal(whole, 0.5, 2)

    const sliced = new Float32Array(length)
    const inSlices = new TorchGenerator(7)
    const progress: number[] = []
    const onSlice = (done: number) => progress.push(done)
    fillNormal(inSlices, sliced, { mean: 0.5, std: 2, sliceLength: 32, onSlice })

    expect(bits(sliced)).toEqual(bits(whole))
    expect(inSlices.random64()).toBe(atOnce.random64())
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b))
    if (length > 0) expect(progress.at(-1)).toBe(length)
  },
)

test.each([0, 1, 15, 16, 17, 623, 624, 625, 1248, 65536, 70001])(
  'skipping %i leaves the generator where drawing them would',
  async (count) => {
    for (const drawnBefore of [0, 3, 624]) {
      const drawn = new TorchGenerator(7)
      const skipped = new TorchGenerator(7)
      for (let i = 0; i < drawnBefore; i++) expect(skipped.random32()).toBe(drawn.random32())
      drawn.normal(new Float32Array(count))
      skipNormal(skipped, count)
      expect(skipped.random64()).toBe(drawn.random64())
    }
  },
)
