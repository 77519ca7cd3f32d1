import '@tensorflow/tfjs-backend-cpu'
import { type DataId, registerKernel, type TensorInfo } from '@tensorflow/tfjs-core'
import { INPUT_EMBEDDINGS, type InputEmbeddingsAttrs, type InputEmbeddingsInputs } from '../op.js'
import type { Workspace } from '../workspace.js'

/** What this kernel uses of TensorFlow.js's cpu backend. */
interface CpuBackend {
  readonly data: { get(dataId: DataId): { values: Float32Array | Int32Array } }
  makeTensorInfo(shape: number[], dtype: 'float32', values: Float32Array): TensorInfo
}

/** The workspace of each model's memory in this thread. */
const workspaces = new WeakMap<ArrayBufferLike, Workspace>()

/** From now on tables in this workspace's memory are looked up there. */
export function useWorkspace(workspace: Workspace): void {
  workspaces.set(workspace.memory.memory.buffer, workspace)
}

registerKernel({
  kernelName: INPUT_EMBEDDINGS,
  backendName: 'cpu',
  kernelFunc({ inputs, backend, attrs }) {
    const cpu = backend as CpuBackend
    const { table, ids, positions } = inputs as unknown as InputEmbeddingsInputs
    const options = attrs as unknown as InputEmbeddingsAttrs
    const valuesOf = (tensor: TensorInfo) => cpu.data.get(tensor.dataId).values
    const dim = table.shape[1]
    const out = options.out ?? new Float32Array(ids.shape[0] * dim)
    const tableValues = valuesOf(table) as Float32Array
    const workspace = workspaces.get(tableValues.buffer)
    if (workspace === undefined) {
      throw new Error(`${INPUT_EMBEDDINGS} on cpu looks up tables of a model's memory only.`)
    }
    const positionValues = positions && (valuesOf(positions) as Float32Array)
    gatherAndAdd(workspace, out, tableValues, valuesOf(ids) as Int32Array, positionValues, dim, options)
    return cpu.makeTensorInfo([ids.shape[0], dim], 'float32', out)
  },
})

/** Runs the fused kernel over as many rows at a time as the scratch space holds. */
function gatherAndAdd(
  workspace: Workspace,
  out: Float32Array,
  table: Float32Array,
  ids: Int32Array,
  positions: Float32Array | undefined,
  dim: number,
  { positionStart, contextLength, firstRow }: InputEmbeddingsAttrs,
): void {
  const { kernels, rows } = workspace
  const direct = workspace.holds(out)
  const most = Math.max(1, Math.floor(rows.length / dim))
  for (let done = 0; done < ids.length; done += most) {
    const count = Math.min(most, ids.length - done)
    const idsPointer = workspace.idsPointer(ids.subarray(done, done + count))
    const target = direct ? out.byteOffset + done * dim * 4 : rows.byteOffset
    const first = firstRow + done
    if (positions === undefined) {
      kernels.embedRows(target, table.byteOffset, idsPointer, count, dim, 0, 0, 0, 1)
    } else if (workspace.holds(positions)) {
      const { byteOffset } = positions
      kernels.embedRows(
        target,
        table.byteOffset,
        idsPointer,
        count,
        dim,
        byteOffset,
        positionStart,
        first % contextLength, // what the kernel counts in is 32 bits wide
        contextLength,
      )
    } else {
      const rowOf = (i: number) => positionStart + ((first + i) % contextLength)
      const gathered = workspace.gatherPositions(positions, dim, count, rowOf)
      kernels.embedRows(target, table.byteOffset, idsPointer, count, dim, gathered, 0, 0, count)
    }
    if (!direct) out.set(rows.subarray(0, count * dim), done * dim)
  }
}
