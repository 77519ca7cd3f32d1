import { instantiateKernels, STORAGE } from '../../build/first-layer/kernels/kernels.js'
import { ModelMemory } from '../../build/first-layer/kernels/model-memory.js'
import { ITEM_BYTES } from '../../build/first-layer/tensors/named-tensor.js'
import { atLeast } from './harness/floors.mjs'
import { findPython, startPython } from './harness/python.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { figure, times } from './harness/text.mjs'

const WIDTH = 256
const STEP_ROWS = 4096

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
          floors.push(atLeast(`${dtype}, beside reading the bytes`, beside('read').middle, 0.7))
        }
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
  const sizes = [tableBytes, 4 * WIDTH * queries, 4 * STEP_ROWS * queries]
  const memory = ModelMemory.create(sizes.reduce((sum, size) => sum + size + 64, 0))
  const kernels = instantiateKernels(memory.memory)
  const [table, asked, out] = sizes.map((size) => memory.allocate(size))
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
        kernels.scoreRows(out, 0, table + row * rowBytes, type, count, WIDTH, asked, queries)
      }
      seconds.push((performance.now() - start) / 1000)
    }
    return tableBytes / 1e9 / Math.min(...seconds)
  }
}
