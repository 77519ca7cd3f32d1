import { expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { fillNormalInSlices, skipNormalInSlices } from '../../../src/first-layer/random/normal-slices.js'
import { ClientGone } from '../../../src/load/client-gone.js'
import { isTurnOver } from '../../../src/turn.js'
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
    for await (const done of fillNormalInSlices(inSlices, sliced, { mean: 0.5, std: 2, sliceLength: 32 })) {
      progress.push(done)
    }

    expect(bits(sliced)).toEqual(bits(whole))
    expect(inSlices.random64()).toBe(atOnce.random64())
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b))
    if (length > 0) expect(progress.at(-1)).toBe(length)
  },
)

test('the event loop turns between slices, and asks whether somebody still wants them', async () => {
  let turns = 0
  let running = true
  const turn = () => {
    turns++
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  const claim = new CountingClaim()
  for await (const _ of fillNormalInSlices(new TorchGenerator(1), new Float32Array(160), {
    sliceLength: 16,
    signal: claim,
  })) {
    while (!isTurnOver()) {} // a slice that took long
  }
  running = false
  expect(turns).toBeGreaterThan(5)
  expect(claim.asked).toBeGreaterThan(5)
})

test('nothing is drawn for somebody who has left', async () => {
  const claim = new CountingClaim()
  const table = new Float32Array(160)
  const slices = fillNormalInSlices(new TorchGenerator(1), table, { sliceLength: 16, signal: claim })
  expect((await slices.next()).value).toBe(16)
  claim.leave()
  while (!isTurnOver()) {}
  await expect(slices.next()).rejects.toThrow(ClientGone)
  expect(table.subarray(16).every((x) => x === 0)).toBe(true)
})

test('a slice that is not whole blocks is refused', async () => {
  for (const sliceLength of [0, 8, 24, -16, 1.5]) {
    const fill = fillNormalInSlices(new TorchGenerator(1), new Float32Array(64), { sliceLength })
    await expect(fill.next()).rejects.toThrow(`Given: ${sliceLength}`)
  }
})

test.each([0, 1, 15, 16, 17, 623, 624, 625, 1248, 65536, 70001])(
  'skipping %i leaves the generator where drawing them would',
  async (count) => {
    for (const drawnBefore of [0, 3, 624]) {
      const drawn = new TorchGenerator(7)
      const skipped = new TorchGenerator(7)
      for (let i = 0; i < drawnBefore; i++) expect(skipped.random32()).toBe(drawn.random32())
      drawn.normal(new Float32Array(count))
      await skipNormalInSlices(skipped, count)
      expect(skipped.random64()).toBe(drawn.random64())
    }
  },
)
