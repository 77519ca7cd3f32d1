import { expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { fillNormal, skipNormal } from '../../../src/first-layer/random/normal-slices.js'
import { ClientGone, drive, isTurnOver } from '../../../src/first-layer/running/drive.js'
import { run } from '../../../src/first-layer/steps.js'
import { countTurns } from '../../count-turns.js'
import { CountingClaim } from '../../counting-claim.js'
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
    run(fillNormal(inSlices, sliced, { mean: 0.5, std: 2, sliceLength: 32, onSlice }))

    expect(bits(sliced)).toEqual(bits(whole))
    expect(inSlices.random64()).toBe(atOnce.random64())
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b))
    if (length > 0) expect(progress.at(-1)).toBe(length)
  },
)

/** A slice that takes longer than a turn. */
const onSlice = () => {
  while (!isTurnOver()) {}
}

test('the event loop turns between slices, and the caller’s claim is asked after each turn', async () => {
  const claim = new CountingClaim()
  const fill = fillNormal(new TorchGenerator(1), new Float32Array(160), { sliceLength: 16, onSlice })
  const [turns] = await countTurns(Promise.resolve(drive(claim, fill)))
  expect(turns).toBeGreaterThan(5)
  expect(claim.asked).toBeGreaterThan(5)
})

test('no slice is drawn for a caller that has left', async () => {
  const claim = new CountingClaim()
  const table = new Float32Array(160)
  const drawing = drive(claim, fillNormal(new TorchGenerator(1), table, { sliceLength: 16, onSlice }))
  claim.leave()
  await expect(drawing).rejects.toThrow(ClientGone)
  expect(table.subarray(16).every((x) => x === 0)).toBe(true)
})

test.each([0, 1, 15, 16, 17, 623, 624, 625, 1248, 65536, 70001])(
  'skipping %i leaves the generator where drawing them would',
  async (count) => {
    for (const drawnBefore of [0, 3, 624]) {
      const drawn = new TorchGenerator(7)
      const skipped = new TorchGenerator(7)
      for (let i = 0; i < drawnBefore; i++) expect(skipped.random32()).toBe(drawn.random32())
      drawn.normal(new Float32Array(count))
      run(skipNormal(skipped, count))
      expect(skipped.random64()).toBe(drawn.random64())
    }
  },
)
