// The kernels' speed beside a rival's: `npm run build && node test/bench/kernels.mjs`. Needs gcc for the C rival.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { instantiateKernels, MAX_FLOAT_TEXT_BYTES } from '../../dist/kernels/kernels.js'
import { ModelMemory } from '../../dist/kernels/model-memory.js'
import { TorchGenerator } from '../../dist/random/generator.js'

const TABLE_FLOATS = 50257 * 256
const BLOCK_BYTES = 1 << 20
const BLOCKS = 64
const RUNS = 31
const ROUNDS = 5

/** Median milliseconds. */
function median(runs, work) {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return times.sort((a, b) => a - b)[runs >> 1]
}

function embedBench(name, dim, contextLength) {
  const vocabulary = Math.floor(TABLE_FLOATS / dim)
  const rows = Math.floor(BLOCK_BYTES / (dim * 4))
  const memory = ModelMemory.create(
    4 * TABLE_FLOATS + 4 * contextLength * dim + BLOCK_BYTES + 4 * rows * BLOCKS + 4096,
  )
  const kernels = instantiateKernels(memory.memory)
  const table = memory.allocate(4 * TABLE_FLOATS)
  const positions = memory.allocate(4 * contextLength * dim)
  const out = memory.allocate(BLOCK_BYTES)
  const ids = memory.allocate(4 * rows * BLOCKS)
  memory.float32(table, TABLE_FLOATS).forEach((_, i, all) => {
    all[i] = i
  })
  memory.float32(positions, contextLength * dim).fill(1)
  let state = 1
  memory.int32(ids, rows * BLOCKS).forEach((_, i, all) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    all[i] = Math.floor((state / 2 ** 32) * vocabulary)
  })
  const ms = median(RUNS, () => {
    for (let block = 0; block < BLOCKS; block++) {
      kernels[name](out, table, ids + 4 * rows * block, rows, dim, positions, 0, 0, contextLength)
    }
  })
  return (4 * BLOCKS * rows * dim) / ms / 1e6
}

function embedBenches() {
  const folder = mkdtempSync(join(tmpdir(), 'embed-rows-'))
  const rival = join(folder, 'embed-rows')
  const source = fileURLToPath(new URL('embed-rows.c', import.meta.url))
  try {
    execFileSync('gcc', ['-O3', '-march=native', source, '-o', rival])
    for (const [dim, contextLength] of [
      [256, 4],
      [256, 1024],
      [768, 1024],
      [4096, 64],
    ]) {
      // Rounds by turns, and of their medians the best: other work on the machine then hits neither side alone.
      const names = ['C', 'embedRows', 'embedRowsFloat16', 'embedRowsBfloat16']
      const best = new Map(names.map((name) => [name, 0]))
      for (let round = 0; round < ROUNDS; round++) {
        for (const name of names) {
          const speed =
            name === 'C'
              ? Number(execFileSync(rival, [String(dim), String(contextLength)]))
              : embedBench(name, dim, contextLength)
          best.set(name, Math.max(best.get(name), speed))
        }
      }
      const figures = names.map((name) => {
        const speed = best.get(name)
        return `${name} ${speed.toFixed(2)} (${(speed / best.get('C')).toFixed(2)} ×)`
      })
      console.log(`dim ${dim}, T ${contextLength}: GB/s of float32 sums: ${figures.join(', ')}`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function textBench() {
  const count = 1 << 16
  const memory = ModelMemory.create(count * (4 + MAX_FLOAT_TEXT_BYTES) + 256)
  const kernels = instantiateKernels(memory.memory)
  const input = memory.allocate(4 * count)
  const out = memory.allocate(MAX_FLOAT_TEXT_BYTES * count)
  const generator = new TorchGenerator(123)
  const [values, others] = [new Float32Array(count), new Float32Array(count)]
  generator.normal(values)
  generator.normal(others)
  const sums = values.map((value, i) => value + others[i])
  memory.float32(input, count).set(sums)
  let bytes = 0
  const kernel = median(RUNS, () => {
    bytes = kernels.floatsToText(out, input, count)
  })
  const json = median(RUNS, () => JSON.stringify(Array.from(sums)))
  const base = `JSON.stringify(Array.from(x)) ${(count / json / 1e3).toFixed(1)} M/s`
  const ours = `floatsToText ${(count / kernel / 1e3).toFixed(1)} M/s (${(json / kernel).toFixed(1)} ×)`
  console.log(`float text: ${base}, ${ours}, ${(bytes / count).toFixed(2)} bytes a float`)
}

function randomBench() {
  const table = new Float32Array(TABLE_FLOATS)
  const first = median(1, () => new TorchGenerator(123).normal(table))
  const warm = median(11, () => new TorchGenerator(123).normal(table))
  console.log(`normal_ of ${TABLE_FLOATS} numbers: first ${first.toFixed(0)} ms, then ${warm.toFixed(0)} ms`)
}

randomBench()
textBench()
embedBenches()
