import { expect } from 'vitest'
import { instantiate } from '../../src/first-layer/kernels/kernels.js'
import { bits } from '../first-layer/random/goldens.js'
import { BLOCK, normalBlock } from './normal-block.js'

interface Exports {
  NUMBERS: WebAssembly.Global
  normal(count: number, mean: number, std: number): void
}

const COUNT = 1 << 14

const memory = new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true })
const kernel = instantiate<Exports>('normal', memory)
const numbers = new Float32Array(memory.buffer, kernel.NUMBERS.value, COUNT)

/** The kernel's transform of uniform numbers, whole blocks of 16. */
export function normalOf(uniform: Float32Array, mean: number, std: number): Float32Array {
  numbers.set(uniform)
  kernel.normal(uniform.length, mean, std)
  return numbers.slice(0, uniform.length)
}

/** A first number of a pair whose radius is exactly 1, so that a cosine and a sine come out as they are. */
function unitRadius(): number {
  const block = new Float32Array(BLOCK)
  for (let i = 6_601_000; i < 6_602_500; i++) {
    block.fill(0)
    block[0] = i * 2 ** -24
    normalBlock(block, 0, 0, 1)
    if (block[0] === 1) return i * 2 ** -24
  }
  throw new Error('no unit radius')
}

/**
 * The kernel's radius and its cosine and sine each have 2^24 inputs, the uniform numbers: checks every
 * `stride`-th from `first` against the twin. At angle 0 the radius comes out alone.
 */
export function checkNormalInputs(first: number, stride: number): void {
  const twin = new Float32Array(COUNT)
  const unit = unitRadius()
  for (const which of ['radius', 'angle']) {
    for (let value = first; value < 2 ** 24; ) {
      for (let i = 0; i < COUNT; i++) {
        const isRadius = i % BLOCK < BLOCK / 2
        if (isRadius === (which === 'radius')) {
          twin[i] = (value % 2 ** 24) * 2 ** -24
          value += stride
        } else twin[i] = isRadius ? unit : 0
      }
      const found = normalOf(twin, 0, 1)
      for (let start = 0; start < COUNT; start += BLOCK) normalBlock(twin, start, 0, 1)
      if (Buffer.compare(new Uint8Array(found.buffer), new Uint8Array(twin.buffer)) !== 0) {
        expect(bits(found)).toEqual(bits(twin))
      }
    }
  }
}
