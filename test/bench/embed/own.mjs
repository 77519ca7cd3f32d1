import { instantiateKernels } from '../../../build/kernels/kernels.js'
import { ModelMemory } from '../../../build/kernels/model-memory.js'
import { median } from '../harness/rounds.mjs'

export const TABLE_FLOATS = 50257 * 256
export const BLOCK_BYTES = 1 << 20
const RUNS = 31

/**
 * A kernel at work as the service uses it, into one reused block. Returns a function that gives the median GB/s
 * of float32 sums over `RUNS` answers of `blocks` MiB.
 */
export function ownRows(kernel, { dim, contextLength, blocks }) {
  const vocabulary = Math.floor(TABLE_FLOATS / dim)
  const rows = Math.floor(BLOCK_BYTES / (dim * 4))
  const memory = ModelMemory.create(
    4 * TABLE_FLOATS + 4 * contextLength * dim + BLOCK_BYTES + 4 * rows * blocks + 4096,
  )
  const kernels = instantiateKernels(memory.memory)
  const table = memory.allocate(4 * TABLE_FLOATS)
  const positions = memory.allocate(4 * contextLength * dim)
  const out = memory.allocate(BLOCK_BYTES)
  const ids = memory.allocate(4 * rows * blocks)
  const values = memory.float32(table, TABLE_FLOATS)
  for (let i = 0; i < TABLE_FLOATS; i++) values[i] = i
  memory.float32(positions, contextLength * dim).fill(1)
  // The C program's ids.
  let state = 1
  const drawn = memory.int32(ids, rows * blocks)
  for (let i = 0; i < drawn.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    drawn[i] = Math.floor((state / 2 ** 32) * vocabulary)
  }
  return () => {
    const times = Array.from({ length: RUNS }, () => {
      const start = performance.now()
      for (let block = 0; block < blocks; block++) {
        kernels[kernel](out, table, ids + 4 * rows * block, rows, dim, positions, 0, 0, contextLength)
      }
      return performance.now() - start
    })
    return (4 * blocks * rows * dim) / median(times) / 1e6
  }
}
