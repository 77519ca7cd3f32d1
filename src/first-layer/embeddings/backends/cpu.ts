import '@tensorflow/tfjs-backend-cpu'
import { type DataId, engine, registerKernel, type TensorInfo } from '@tensorflow/tfjs-core'
import { STORAGE } from '../../kernels/kernels.js'
import {
  INPUT_EMBEDDINGS,
  type InputEmbeddingsAttrs,
  type InputEmbeddingsInputs,
  newNumbers,
  type StoredNumbers,
  tensorDtype,
} from '../op.js'
import { MAX_BLOCK_ROWS, type Workspace } from '../workspace.js'

/** The part of TensorFlow.js's cpu backend that this kernel uses. The backend keeps given arrays without a copy. */
interface CpuBackend {
  readonly data: { get(dataId: DataId): { values: StoredNumbers | Int32Array } }
}

/** The workspace of each model's memory in this thread. */
const workspaces = new WeakMap<ArrayBufferLike, Workspace>()

/** Registers a workspace, which the kernel then uses for tables and outputs in its memory. */
export function useWorkspace(workspace: Workspace): void {
  workspaces.set(workspace.memory.memory.buffer, workspace)
}

registerKernel({
  kernelName: INPUT_EMBEDDINGS,
  backendName: 'cpu',
  kernelFunc({ inputs, backend, attrs }) {
    const { data } = backend as CpuBackend
    return lookUpHere(
      inputs as unknown as InputEmbeddingsInputs,
      attrs as unknown as InputEmbeddingsAttrs,
      ({ dataId }) => data.get(dataId).values,
    )
  },
})

/**
 * Runs the op with the kernels of WebAssembly, over as many rows at a time as the scratch space holds.
 *
 * @param numbersOf a tensor's, without a copy
 */
export function lookUpHere(
  inputs: InputEmbeddingsInputs,
  attrs: InputEmbeddingsAttrs,
  numbersOf: (tensor: TensorInfo) => StoredNumbers | Int32Array,
): TensorInfo | TensorInfo[] {
  const [count, dim] = [inputs.ids.shape[0], inputs.table.shape[1]]
  const out = attrs.out ?? newNumbers(attrs.dtype, count * dim)
  const table = numbersOf(inputs.table) as StoredNumbers
  const ids = numbersOf(inputs.ids) as Int32Array
  const positions = inputs.positions && (numbersOf(inputs.positions) as StoredNumbers)
  const workspace = workspaces.get(table.buffer) ?? workspaces.get(out.buffer)
  if (workspace === undefined)
    throw new Error(`${INPUT_EMBEDDINGS} on cpu needs a table or an \`out\` in a model's memory.`)
  const { memory, rows, blockBytes } = workspace
  const isDirect = workspace.holds(out)
  const most = Math.min(MAX_BLOCK_ROWS, Math.floor(blockBytes / (dim * 4)))
  for (let done = 0; done < count; done += most) {
    const part = ids.subarray(done, done + most)
    const { buffer, byteOffset, byteLength } = out.subarray(done * dim, (done + part.length) * dim)
    const place = isDirect ? byteOffset : rows.byteOffset
    writeRows(workspace, place, part, { table, positions, dim }, attrs, attrs.firstRow + done)
    if (!isDirect) new Uint8Array(buffer, byteOffset, byteLength).set(memory.bytes(place, byteLength))
  }
  if (attrs.out !== undefined) return []
  return engine().makeTensor(out as Float32Array, [count, dim], tensorDtype(attrs.dtype))
}

/** The numbers of the op's tables. */
interface Tables {
  readonly table: StoredNumbers
  readonly positions: StoredNumbers | undefined
  readonly dim: number
}

/** Writes the rows of `ids` to `place` in the workspace's memory. */
function writeRows(
  workspace: Workspace,
  place: number,
  ids: Int32Array,
  { table, positions, dim }: Tables,
  { dtype, tableDtype, positionsDtype, positionStart, contextLength }: InputEmbeddingsAttrs,
  firstRow: number,
): void {
  const { kernels } = workspace
  const count = ids.length
  if (positions === undefined && dtype === tableDtype) {
    const rowBytes = dim * table.BYTES_PER_ELEMENT
    if (workspace.holds(table))
      kernels.copyRows(place, table.byteOffset, workspace.idsPointer(ids), count, rowBytes)
    else {
      const gathered = workspace.gather(table, dim, count, (i) => ids[i])
      workspace.memory.bytes(place, count * rowBytes).set(workspace.memory.bytes(gathered, count * rowBytes))
    }
    return
  }
  if (!workspace.holds(table))
    throw new Error(`${INPUT_EMBEDDINGS} on cpu computes with the rows of a model's own table only.`)

  const [tableAt, tableType, addedType] = [table.byteOffset, STORAGE[tableDtype], STORAGE[positionsDtype]]
  const idsAt = workspace.idsPointer(ids)
  const sums = dtype === 'float32' ? place : workspace.rows.byteOffset
  let [at, start, first, length] = [0, 0, 0, 1] // no positions
  if (positions !== undefined && workspace.holds(positions)) {
    at = positions.byteOffset
    start = positionStart
    first = firstRow % contextLength // the kernels count rows in 32 bits
    length = contextLength
  } else if (positions !== undefined) {
    const rowOf = (i: number) => positionStart + ((firstRow + i) % contextLength)
    at = workspace.gather(positions, dim, count, rowOf)
    length = count
  }
  kernels.embedRows(sums, tableAt, tableType, idsAt, count, dim, at, addedType, start, first, length)
  if (dtype === 'float16') kernels.narrowFloat16(place, sums, count * dim)
  else if (dtype === 'bfloat16') kernels.narrowBfloat16(place, sums, count * dim)
}
