import {
  instantiateKernels,
  SCORE_SCRATCH_BYTES,
  STORAGE,
} from '../../build/src/first-layer/kernels/kernels.js'
import { ModelMemory } from '../../build/src/first-layer/kernels/model-memory.js'
import { ITEM_BYTES } from '../../build/src/first-layer/tensors/named-tensor.js'
import { atLeast } from './harness/floors.mjs'
import { findPython, startPython } from './harness/python.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { figure, times } from './harness/text.mjs'

const WIDTH = 256
const STEP_ROWS = 4096
/** Of a bare read: float16 takes ten instructions to widen four numbers, bfloat16 one. */
const LEAST_OF_READ = { float32: 0.7, float16: 0.25, bfloat16: 0.55 }
/** Of NumPy's product of 16 queries. */
const LEAST_OF_NUMPY = { float32: 0.9, float16: 10 }

/** Scores of every row of a table, GB/s of table: the kernel of the search beside NumPy's product and a bare read. */
export async function bench({ rounds, quick, say }) {
  const rows = quick ? 100_000 : 400_000
  const python = findPython('numpy')
  if (python.absent) say(`NumPy is absent: ${python.absent}`)
  const numpy = python.absent
    ? undefined
    : await startPython(python.path, 'numpy_scores.py', [], { OPENBLAS_NUM_THREADS: '1' })
  const lines = []
  const floors = []
  try {
    for (const dtype of ['float32', 'float16', 'bfloat16']) {
      for (const queries of [1, 16]) {
        const asked = { rows, width: WIDTH, queries, dtype: dtype === 'float16' ? 'float16' : 'float32' }
        let answer
        const figures = await takeTurns(rounds, {
          Inlet: ownScores(rows, queries, dtype),
          ...(numpy && {
            numpy: async () => {
              answer = await numpy.ask(asked)
              return answer.scores
            },
            read: async () => (await numpy.ask({ ...asked, queries: 1 })).read,
          }),
        })
        const beside = (name) => (figures[name] ? ratio(figures.Inlet, figures[name]) : undefined)
        const cell = (name) =>
          figures[name] ? `${figure(median(figures[name]))}, ${times(beside(name))}` : '–'
        const isSame = dtype !== 'bfloat16' // NumPy has no bfloat16
        lines.push([
          `${queries}`,
          dtype,
          figure(median(figures.Inlet)),
          isSame ? cell('numpy') : '–',
          cell('read'),
        ])
        say(lines.at(-1).join(' | '))
        if (queries === 1 && beside('read')) {
          floors.push(
            atLeast(`${dtype}, beside reading the bytes`, beside('read').middle, LEAST_OF_READ[dtype]),
          )
        }
        if (queries === 16 && isSame && beside('numpy'))
          floors.push(
            atLeast(`${dtype}, 16 queries, beside NumPy`, beside('numpy').middle, LEAST_OF_NUMPY[dtype]),
          )
      }
    }
  } finally {
    numpy?.stop()
  }
  return {
    title: 'Scores of all rows of a table, GB/s of table',
    notes: [
      `One thread each, [${rows}, ${WIDTH}]. A bare read: NumPy’s bitwise_or.reduce of the same bytes.`,
    ],
    head: ['queries', 'table', 'Inlet', 'NumPy, E @ q', 'a bare read'],
    rows: lines,
    floors,
  }
}

/** Returns a function that gives the GB/s of one search's pass. */
function ownScores(rows, queries, dtype) {
  const tableBytes = rows * WIDTH * ITEM_BYTES[dtype]
  const sizes = [tableBytes, 4 * WIDTH * queries, 4 * STEP_ROWS * queries, SCORE_SCRATCH_BYTES]
  const memory = ModelMemory.create(sizes.reduce((sum, size) => sum + size + 64, 0))
  const kernels = instantiateKernels(memory.memory)
  const [table, asked, out, scratch] = sizes.map((size) => memory.allocate(size))
  memory.bytes(table, tableBytes).fill(0x3c)
  memory.float32(asked, WIDTH * queries).fill(1)
  const type = STORAGE[dtype]
  const rowBytes = WIDTH * ITEM_BYTES[dtype]
  return () => {
    const seconds = []
    for (let run = 0; run < 5; run++) {
      const start = performance.now()
      for (let row = 0; row < rows; row += STEP_ROWS) {
        const count = Math.min(STEP_ROWS, rows - row)
        kernels.scoreRows(out, 0, table + row * rowBytes, type, count, WIDTH, asked, queries, scratch)
      }
      seconds.push((performance.now() - start) / 1000)
    }
    return tableBytes / 1e9 / Math.min(...seconds)
  }
}
