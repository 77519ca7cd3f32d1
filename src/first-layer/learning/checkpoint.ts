import { type Blocks, PAUSE } from '../steps.js'
import type { NamedTensor } from '../tensors/named-tensor.js'
import type { Learner } from './learner.js'
import type { LearningTable } from './learning-table.js'
import type { RowSums } from './row-sums.js'

/** Bytes of a block. */
const BLOCK_BYTES = 1 << 20

/**
 * The tensors of a checkpoint: `wte.weight`, `optimizer.wte.weight.exp_avg` as PyTorch calls its states, and, of a table
 * that has gradients, `gradients.wte.weight` as PyTorch's `.grad` and the rows that came, `gradients.wte.weight.rows` int32.
 * Parts that wait for others: `parts.2.wte.weight` and its rows. The learner makes no step while they are read.
 */
export function checkpointTensors(learner: Learner): readonly NamedTensor[] {
  const tables = learner.tables.flatMap((table) => tensorsOf(table))
  const parts = [...learner.parts.held].flatMap(([index, sums]) =>
    [...sums].flatMap(([name, rows]) => {
      const label = `parts.${index}.${name}`
      return [compactRows(label, rows), rowsTensor(`${label}.rows`, rows)]
    }),
  )
  return [...tables, ...parts]
}

/** A tensor of float32 or int32 numbers in memory. */
export function tensorOver(
  name: string,
  shape: readonly number[],
  numbers: Float32Array | Int32Array,
): NamedTensor {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  return {
    ...{ name, shape, dtype: numbers instanceof Float32Array ? 'float32' : 'int32' },
    *blocks(): Blocks {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        yield PAUSE
        yield bytes.subarray(at, at + BLOCK_BYTES)
      }
    },
  }
}

function tensorsOf(table: LearningTable): readonly NamedTensor[] {
  const { name, rows, dim } = table.place
  const states = table.hasState ? table.stateNames : []
  return [
    tensorOver(name, [rows, dim], table.numbers()),
    ...states.map((state) =>
      tensorOver(`optimizer.${name}.${state}`, [table.learningRows, dim], table.state(state)),
    ),
    ...(table.isPending ? [gradientTensor(table), rowsTensor(`gradients.${name}.rows`, table.pending)] : []),
  ]
}

/** PyTorch's `.grad`, [learning rows, C]: zeros but for the rows that came. */
function gradientTensor({ place, pending, learningRows, rowAt }: LearningTable): NamedTensor {
  return rowsInBlocks(`gradients.${place.name}`, learningRows, pending, rowAt)
}

/** The rows that came alone, [n, C]. */
function compactRows(name: string, sums: RowSums): NamedTensor {
  return rowsInBlocks(name, sums.rows.length, sums, (i) => sums.rows[i])
}

function rowsTensor(name: string, { rows }: RowSums): NamedTensor {
  return tensorOver(name, [rows.length], Int32Array.from(rows))
}

function rowsInBlocks(name: string, count: number, sums: RowSums, rowAt: (i: number) => number): NamedTensor {
  const { dim } = sums
  const most = Math.max(1, Math.floor(BLOCK_BYTES / (4 * dim)))
  return {
    ...{ name, dtype: 'float32', shape: [count, dim] },
    *blocks(): Blocks {
      const block = new Float32Array(Math.min(most, count) * dim)
      for (let start = 0; start < count; start += most) {
        yield PAUSE
        const rows = Math.min(most, count - start)
        block.fill(0)
        for (let i = 0; i < rows; i++) {
          const row = rowAt(start + i)
          if (sums.pointerOf(row) !== 0) block.set(sums.numbersOf(row), i * dim)
        }
        yield new Uint8Array(block.buffer, 0, 4 * rows * dim)
      }
    },
  }
}
