import { PlainTwister } from './mersenne-twister.js'
import { BLOCK, normalBlock } from './normal-block.js'

/** Twin of `TorchGenerator.normal` for whole blocks: a word for each element, then block by block. */
export function normalTwin(
  seed: number,
  skipped: number,
  length: number,
  mean: number,
  std: number,
): Float32Array {
  const twister = new PlainTwister(seed)
  for (let i = 0; i < skipped; i++) twister.next()
  const out = Float32Array.from({ length }, () => (twister.next() & 0xffffff) * 2 ** -24)
  for (let start = 0; start < length; start += BLOCK)
    normalBlock(out, start, Math.fround(mean), Math.fround(std))
  return out
}

/** Twin of the kernel's transform of one block of uniform numbers. */
export function blockTwin(uniform: Float32Array, mean: number, std: number): Float32Array {
  const out = uniform.slice()
  normalBlock(out, 0, Math.fround(mean), Math.fround(std))
  return out
}
