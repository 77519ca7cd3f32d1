import { instantiateKernels, STORAGE } from '../../../build/src/first-layer/kernels/kernels.js'
import { ModelMemory } from '../../../build/src/first-layer/kernels/model-memory.js'
import { ITEM_BYTES } from '../../../build/src/first-layer/tensors/named-tensor.js'
import { median } from '../harness/rounds.mjs'

export const TABLE_FLOATS = 50257 * 256
export const BLOCK_BYTES = 1 << 20
const RUNS = 31

/** Bits of 0.25 and 1 in each type. */
const QUARTER = { float32: 0x3e80_0000, float16: 0x3400, bfloat16: 0x3e80 }
const ONE = { float32: 0x3f80_0000, float16: 0x3c00, bfloat16: 0x3f80 }

/**
 * The kernels at work as the service uses them, into one reused block: rows of a table of `dtype` and positions of the
 * same, as float32, or rounded to `narrow`. Returns a function that gives the median GB/s of float32 sums over `RUNS`
 * answers of `blocks` MiB.
 */
export function ownRows({ dim, contextLength, blocks, dtype }, narrow) {
  const vocabulary = Math.floor(TABLE_FLOATS / dim)
  const rows = Math.floor(BLOCK_BYTES / (dim * 4))
  const itemBytes = ITEM_BYTES[dtype]
  const sizes = [
    itemBytes * TABLE_FLOATS,
    itemBytes * contextLength * dim,
    BLOCK_BYTES,
    BLOCK_BYTES,
    4 * rows * blocks,
  ]
  const memory = ModelMemory.create(sizes.reduce((sum, size) => sum + size + 64, 0))
  const kernels = instantiateKernels(memory.memory)
  const [table, positions, out, scratch, ids] = sizes.map((size) => memory.allocate(size))
  const words = (place, length) =>
    itemBytes === 4 ? memory.int32(place, length) : memory.uint16(place, length)
  words(table, TABLE_FLOATS).fill(QUARTER[dtype])
  words(positions, contextLength * dim).fill(ONE[dtype])
  // The C program's ids.
  let state = 1
  const drawn = memory.int32(ids, rows * blocks)
  for (let i = 0; i < drawn.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    drawn[i] = Math.floor((state / 2 ** 32) * vocabulary)
  }
  const type = STORAGE[dtype]
  const sums = (to, block) =>
    kernels.embedRows(
      to,
      table,
      type,
      ids + 4 * rows * block,
      rows,
      dim,
      positions,
      type,
      0,
      0,
      contextLength,
    )
  const ways = {
    wide: (block) => sums(out, block),
    float16(block) {
      sums(scratch, block)
      kernels.narrowFloat16(out, scratch, rows * dim)
    },
    bfloat16(block) {
      sums(scratch, block)
      kernels.narrowBfloat16(out, scratch, rows * dim)
    },
  }
  const work = ways[narrow ?? 'wide']
  return () => {
    const times = Array.from({ length: RUNS }, () => {
      const start = performance.now()
      for (let block = 0; block < blocks; block++) work(block)
      return performance.now() - start
    })
    return (4 * blocks * rows * dim) / median(times) / 1e6
  }
}
