import '@tensorflow/tfjs-backend-cpu'
import { type DataId, registerKernel, type TensorInfo } from '@tensorflow/tfjs-core'
import { INPUT_EMBEDDINGS, type InputEmbeddingsAttrs, type InputEmbeddingsInputs } from '../op.js'
import { MAX_BLOCK_ROWS, type Workspace } from '../workspace.js'

/** What this kernel uses of TensorFlow.js's cpu backend. */
interface CpuBackend {
  readonly data: { get(dataId: DataId): { values: Float32Array | Int32Array } }
  makeTensorInfo(shape: number[], dtype: 'float32', values: Float32Array): TensorInfo
}

/** The workspace of each model's memory in this thread. */
const workspaces = new WeakMap<ArrayBufferLike, Workspace>()

/** From now on what lies in this workspace's memory is worked on there. */
export function useWorkspace(workspace: Workspace): void {
  workspaces.set(workspace.memory.memory.buffer, workspace)
}

/** Where the kernel can work: with the table, or where the rows are wanted. */
function workspaceFor(table: Float32Array, out: Float32Array): Workspace {
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
    const { table, ids, positions } = inputs as unknown as InputEmbeddingsInputs
    const options = attrs as unknown as InputEmbeddingsAttrs
    const valuesOf = (tensor: TensorInfo) => cpu.data.get(tensor.dataId).values
    const dim = table.shape[1]
    const out = options.out ?? new Float32Array(ids.shape[0] * dim)
    const operands = {
      out,
      dim,
      table: valuesOf(table) as Float32Array,
      ids: valuesOf(ids) as Int32Array,
      positions: positions && (valuesOf(positions) as Float32Array),
    }
    gatherAndAdd(workspaceFor(operands.table, out), operands, options)
    return cpu.makeTensorInfo([ids.shape[0], dim], 'float32', out)
  },
})

interface Operands {
  readonly out: Float32Array
  readonly table: Float32Array
  readonly ids: Int32Array
  readonly positions?: Float32Array
  readonly dim: number
}

/** Runs the fused kernel over as many rows at a time as the scratch space holds. */
function gatherAndAdd(workspace: Workspace, operands: Operands, attrs: InputEmbeddingsAttrs): void {
  const { out, ids, dim } = operands
  const direct = workspace.holds(out)
  const most = Math.min(MAX_BLOCK_ROWS, Math.floor(workspace.blockBytes / (dim * 4)))
  for (let done = 0; done < ids.length; done += most) {
    const part = ids.subarray(done, done + most)
    const rows = direct ? out.subarray(done * dim) : workspace.rows
    embedPart(workspace, rows, part, operands, attrs, attrs.firstRow + done)
    if (!direct) out.set(rows.subarray(0, part.length * dim), done * dim)
  }
}

/**
 * One run of the kernel: the rows of `ids` into `out`. What lies outside its memory is copied in first: a computed
 * table, or computed positions.
 */
function embedPart(
  workspace: Workspace,
  out: Float32Array,
  ids: Int32Array,
  { table, positions, dim }: Operands,
  { positionStart, contextLength }: InputEmbeddingsAttrs,
  firstRow: number,
): void {
  const { embedRows } = workspace.kernels
  const count = ids.length
  if (!workspace.holds(table)) {
    if (positions !== undefined)
      throw new Error(`${INPUT_EMBEDDINGS} on cpu adds positions to a model's own table only.`)
    const gathered = workspace.gather(table, dim, count, (i) => ids[i])
    out.set(workspace.memory.float32(gathered, count * dim))
    return
  }
  const idsPointer = workspace.idsPointer(ids)
  if (positions === undefined) {
    embedRows(out.byteOffset, table.byteOffset, idsPointer, count, dim, 0, 0, 0, 1)
  } else if (workspace.holds(positions)) {
    const column = firstRow % contextLength // the kernel counts rows in 32 bits
    embedRows(
      out.byteOffset,
      table.byteOffset,
      idsPointer,
      count,
      dim,
      positions.byteOffset,
      positionStart,
      column,
      contextLength,
    )
  } else {
    const rowOf = (i: number) => positionStart + ((firstRow + i) % contextLength)
    const gathered = workspace.gather(positions, dim, count, rowOf)
    embedRows(out.byteOffset, table.byteOffset, idsPointer, count, dim, gathered, 0, 0, count)
  }
}
