import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { PlainTwister } from '../../twins/mersenne-twister.js'
import { checkNormalInputs, normalOf } from '../../twins/normal-inputs.js'
import { blockTwin, normalTwin } from '../../twins/normal-twin.js'
import { bits } from '../random/goldens.js'

test('the twister’s words equal those of its twin over many turns', () => {
  for (const seed of [0, 1, 123, 2 ** 31, 2 ** 32 - 1]) {
    const fast = new TorchGenerator(seed)
    const slow = new PlainTwister(seed)
    for (let i = 0; i < 5000; i++) expect(fast.random32()).toBe(slow.next())
  }
})

test('blocks of any place, number, mean and deviation equal those of the twin', () => {
  const float = fc.float({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      fc.nat(1300),
      fc.integer({ min: 1, max: 120 }),
      fc.oneof(fc.constant(0), fc.constant(-0), float),
      fc.oneof(fc.constant(1), fc.constant(0.02), fc.constant(0), float.map(Math.abs)),
      (seed, skipped, blocks, mean, std) => {
        const generator = new TorchGenerator(seed)
        for (let i = 0; i < skipped; i++) generator.random32()
        const out = new Float32Array(16 * blocks)
        generator.normal(out, mean, std)
        expect(bits(out)).toEqual(bits(normalTwin(seed, skipped, out.length, mean, std)))
      },
    ),
    { numRuns: 300 },
  )
})

test('a fill longer than the kernel’s memory continues at the same place', () => {
  const out = new Float32Array(3 * 2 ** 14 + 16)
  const generator = new TorchGenerator(99)
  generator.normal(out, 0.25, 3)
  expect(bits(out)).toEqual(bits(normalTwin(99, 0, out.length, 0.25, 3)))
})

test('two generators of one thread do not disturb each other', () => {
  const [one, two] = [new TorchGenerator(5), new TorchGenerator(6)]
  const halves = [new Float32Array(32), new Float32Array(32)] as const
  one.random32()
  one.normal(halves[0])
  two.normal(new Float32Array(64))
  one.normal(halves[1])
  expect(bits([...halves[0], ...halves[1]])).toEqual(bits(normalTwin(5, 1, 64, 0, 1)))
})

test('every 97th uniform number gives the radius, cosine and sine of the twin', () => {
  checkNormalInputs(0, 97)
})

test('the three angles that a plain float32 step would get wrong are right', () => {
  for (const word of [12_582_909, 12_582_912, 12_582_913]) {
    const block = new Float32Array(16).fill(0.25)
    block[8] = word * 2 ** -24
    expect(bits(normalOf(block, 0, 1))).toEqual(bits(blockTwin(block, 0, 1)))
  }
})

test('a sum that double rounds to the middle of two float32 numbers goes to the right one', () => {
  let cases = 0
  for (let word = 1; word < 4000; word++) {
    // At angle 0 the cosine is 1: the radius comes out as it is.
    const block = new Float32Array(16)
    block[0] = word * 2 ** -10 * 2 ** -2
    const radius = blockTwin(block, 0, 1)[0]!
    const std = Math.fround(1 / radius)
    const excess = radius * std - 1
    if (excess === 0 || Math.abs(excess) > 2 ** -29) continue
    cases++
    for (const mean of [2 ** 24, 2 ** 24 + 2, -(2 ** 24), -(2 ** 24) - 2]) {
      expect(bits(normalOf(block, mean, std))).toEqual(bits(blockTwin(block, mean, std)))
    }
  }
  expect(cases).toBeGreaterThan(10)
})
