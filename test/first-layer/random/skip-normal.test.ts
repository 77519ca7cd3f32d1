import { expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'

test('a fill tells now and then how much is done', () => {
  const done: number[] = []
  new TorchGenerator(7).normal(new Float32Array(200_001), 0, 1, (elements) => done.push(elements))
  expect(done).toEqual([65_536, 131_072, 196_608, 200_000, 200_001])
})

test.each([0, 1, 15, 16, 17, 623, 624, 625, 1248, 65536, 70001])(
  'skipping %i leaves the generator where drawing them would',
  async (count) => {
    for (const drawnBefore of [0, 3, 624]) {
      const drawn = new TorchGenerator(7)
      const skipped = new TorchGenerator(7)
      for (let i = 0; i < drawnBefore; i++) expect(skipped.random32()).toBe(drawn.random32())
      drawn.normal(new Float32Array(count))
      skipped.skipNormal(count)
      expect(skipped.random64()).toBe(drawn.random64())
    }
  },
)
