import '@tensorflow/tfjs-backend-cpu'
import { type DataId, registerKernel, type TensorInfo } from '@tensorflow/tfjs-core'
import { INPUT_EMBEDDINGS, type InputEmbeddingsAttrs, type InputEmbeddingsInputs } from '../op.js'
import { newNumbers, type StoredNumbers, tensorDtype } from '../table.js'
import type { Workspace } from '../workspace.js'
import { writeRows } from './cpu-rows.js'

/** The part of TensorFlow.js's cpu backend that this kernel uses. The backend keeps given arrays without a copy. */
interface CpuBackend {
  readonly data: { get(dataId: DataId): { values: StoredNumbers | Int32Array } }
  makeTensorInfo(shape: number[], dtype: 'float32' | 'int32', values: StoredNumbers): TensorInfo
}

/** The workspace of each model's memory in this thread. */
const workspaces = new WeakMap<ArrayBufferLike, Workspace>()

/** Registers a workspace, which the kernel then uses for tables and outputs in its memory. */
export function useWorkspace(workspace: Workspace): void {
  workspaces.set(workspace.memory.memory.buffer, workspace)
}

/** The workspace whose memory holds the table, or else the one whose memory holds `out`. */
function workspaceFor(table: StoredNumbers, out: StoredNumbers): Workspace {
  const found = workspaces.get(table.buffer) ?? workspaces.get(out.buffer)
  if (found === undefined)
    throw new Error(`${INPUT_EMBEDDINGS} on cpu needs a table or an \`out\` in a model's memory.`)
  return found
}

registerKernel({
  kernelName: INPUT_EMBEDDINGS,
  backendName: 'cpu',
  kernelFunc({ inputs, backend, attrs }) {
    const cpu = backend as CpuBackend
    const given = inputs as unknown as InputEmbeddingsInputs
    const options = attrs as unknown as InputEmbeddingsAttrs
    const numbersOf = (tensor: TensorInfo) => cpu.data.get(tensor.dataId).values as StoredNumbers
    const [count, dim] = [given.ids.shape[0], given.table.shape[1]]
    const out = options.out ?? newNumbers(options.dtype, count * dim)
    const table = numbersOf(given.table)
    const operands = {
      out,
      table,
      ids: cpu.data.get(given.ids.dataId).values as Int32Array,
      positions: given.positions && numbersOf(given.positions),
      dim,
    }
    writeRows(workspaceFor(table, out), operands, options)
    if (options.out !== undefined) return []
    return cpu.makeTensorInfo([count, dim], tensorDtype(options.dtype), out)
  },
})
