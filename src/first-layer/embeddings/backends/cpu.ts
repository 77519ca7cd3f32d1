import '@tensorflow/tfjs-backend-cpu'
import { type DataId, registerKernel, type TensorInfo } from '@tensorflow/tfjs-core'
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

/** The numbers of one run of the op; the op's attributes name their types. */
interface Operands {
  readonly out: StoredNumbers
  readonly table: StoredNumbers
  readonly ids: Int32Array
  readonly positions: StoredNumbers | undefined
  readonly dim: number
}

/** Runs the kernels over as many rows at a time as the scratch space holds. */
function writeRows(workspace: Workspace, operands: Operands, attrs: InputEmbeddingsAttrs): void {
  const { out, ids, dim } = operands
  const isDirect = workspace.holds(out)
  const most = Math.min(MAX_BLOCK_ROWS, Math.floor(workspace.blockBytes / (dim * 4)))
  for (let done = 0; done < ids.length; done += most) {
    const part = ids.subarray(done, done + most)
    const place = isDirect ? out.byteOffset + done * dim * out.BYTES_PER_ELEMENT : workspace.rows.byteOffset
    writePart(workspace, place, part, operands, attrs, attrs.firstRow + done)
    if (!isDirect) copyOut(workspace, place, out.subarray(done * dim, (done + part.length) * dim))
  }
}

function copyOut(workspace: Workspace, place: number, out: StoredNumbers): void {
  const bytes = workspace.memory.bytes(place, out.byteLength)
  new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(bytes)
}

/** Writes the rows of `ids` to `place` in the workspace's memory, by the fastest kernel for their types. */
function writePart(
  workspace: Workspace,
  place: number,
  ids: Int32Array,
  operands: Operands,
  attrs: InputEmbeddingsAttrs,
  firstRow: number,
): void {
  const { table, positions, dim } = operands
  const { dtype, tableDtype, positionsDtype } = attrs
  if (positions === undefined && dtype === tableDtype) {
    copyRows(workspace, place, ids, table, dim)
    return
  }
  if (!workspace.holds(table))
    throw new Error(`${INPUT_EMBEDDINGS} on cpu computes with the rows of a model's own table only.`)

  const { kernels } = workspace
  const tableAt = table.byteOffset
  const idsAt = workspace.idsPointer(ids)
  const count = ids.length
  const { at, start, first, length } = positionPlace(workspace, operands, attrs, count, firstRow)
  // Sums of 16-bit rows are rounded in a second pass: rounding in the same loop takes longer (docs/log/).
  const isOnePass = dtype === 'float32' || (tableDtype === 'float32' && positionsDtype === 'float32')
  const [sums, type] = isOnePass ? [place, STORAGE[dtype]] : [workspace.rows.byteOffset, STORAGE.float32]
  const [tableType, positionType] = [STORAGE[tableDtype], STORAGE[positionsDtype]]
  kernels.embedRows(sums, type, tableAt, tableType, idsAt, count, dim, at, positionType, start, first, length)
  if (isOnePass) return
  if (dtype === 'float16') kernels.narrowFloat16(place, sums, count * dim)
  else kernels.narrowBfloat16(place, sums, count * dim)
}

/** Copies rows as they are stored. The table may lie outside the workspace's memory. */
function copyRows(
  workspace: Workspace,
  place: number,
  ids: Int32Array,
  table: StoredNumbers,
  dim: number,
): void {
  const rowBytes = dim * table.BYTES_PER_ELEMENT
  if (workspace.holds(table)) {
    workspace.kernels.copyRows(place, table.byteOffset, workspace.idsPointer(ids), ids.length, rowBytes)
    return
  }
  const gathered = workspace.gather(table, dim, ids.length, (i) => ids[i])
  const { memory } = workspace
  memory.bytes(place, ids.length * rowBytes).set(memory.bytes(gathered, ids.length * rowBytes))
}

/** The position rows as kernel arguments: `at` is a pointer, 0 for no positions. */
interface PositionPlace {
  readonly at: number
  readonly start: number
  readonly first: number
  readonly length: number
}

const NO_POSITIONS: PositionPlace = { at: 0, start: 0, first: 0, length: 1 }

/** Copies positions into the workspace's memory if they lie outside it, as computed ones do; returns their place. */
function positionPlace(
  workspace: Workspace,
  { positions, dim }: Operands,
  { positionStart, contextLength }: InputEmbeddingsAttrs,
  count: number,
  firstRow: number,
): PositionPlace {
  if (positions === undefined) return NO_POSITIONS
  if (workspace.holds(positions)) {
    const first = firstRow % contextLength // the kernels count rows in 32 bits
    return { at: positions.byteOffset, start: positionStart, first, length: contextLength }
  }
  const rowOf = (i: number) => positionStart + ((firstRow + i) % contextLength)
  return { at: workspace.gather(positions, dim, count, rowOf), start: 0, first: 0, length: count }
}
