import type { StopSignal } from '../turn.js'
import { Pace } from '../turn.js'
import { lookUp } from './op.js'
import type { Table } from './table.js'
import type { Workspace } from './workspace.js'

/** Elements that are looked up at once: a tenth of a millisecond. */
const STEP_ELEMENTS = 1 << 15

/** A list of ids that may be long. */
export interface IdSource {
  readonly length: number
  /** Writes the ids from `start` on. */
  fill(out: Int32Array, start: number): void
}

/**
 * The mean of rows of a table, float32 [C]: rows are added in the order of the ids, in float32, and the sum is divided
 * once. These are the bits of NumPy's `E[ids].mean(axis=0)` and of PyTorch's `EmbeddingBag`. No ids → zeros.
 */
export async function meanOfRows(
  table: Table,
  ids: IdSource,
  workspace: Workspace,
  signal?: StopSignal,
): Promise<Float32Array> {
  const dim = table.tensor.shape[1]
  const sum = new Float32Array(dim)
  const most = Math.max(1, Math.min(Math.floor(STEP_ELEMENTS / dim), workspace.ids.length))
  const pace = new Pace(signal)
  for (let done = 0; done < ids.length; done += most) {
    if (pace.isOver) await pace.nextTurn()
    const part = workspace.ids.subarray(0, Math.min(most, ids.length - done))
    ids.fill(part, done)
    const rows = workspace.rows.subarray(0, part.length * dim)
    lookUp(rows, table, part)
    for (let at = 0; at < rows.length; at += dim) {
      for (let c = 0; c < dim; c++) sum[c] += rows[at + c]!
    }
  }
  if (ids.length > 1) for (let c = 0; c < dim; c++) sum[c] /= ids.length
  return sum
}
