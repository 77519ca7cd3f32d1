import '@tensorflow/tfjs-backend-cpu'
import { type DataId, registerKernel, type TensorInfo } from '@tensorflow/tfjs-core'
import { INPUT_EMBEDDINGS, type InputEmbeddingsAttrs, type InputEmbeddingsInputs } from '../op.js'

/** What this kernel uses of TensorFlow.js's cpu backend. */
interface CpuBackend {
  readonly data: { get(dataId: DataId): { values: Float32Array | Int32Array } }
  makeTensorInfo(shape: number[], dtype: 'float32', values: Float32Array): TensorInfo
}

registerKernel({
  kernelName: INPUT_EMBEDDINGS,
  backendName: 'cpu',
  kernelFunc({ inputs, backend, attrs }) {
    const cpu = backend as CpuBackend
    const { table, ids, positions } = inputs as unknown as InputEmbeddingsInputs
    const options = attrs as unknown as InputEmbeddingsAttrs
    const valuesOf = (tensor: TensorInfo) => cpu.data.get(tensor.dataId).values
    const rows = ids.shape[0]
    const dim = table.shape[1]
    const out = options.out ?? new Float32Array(rows * dim)
    gatherAndAdd(
      out,
      valuesOf(table) as Float32Array,
      valuesOf(ids) as Int32Array,
      positions && (valuesOf(positions) as Float32Array),
      dim,
      options,
    )
    return cpu.makeTensorInfo([rows, dim], 'float32', out)
  },
})

/** out[i, :] = table[ids[i], :] (+ positions[…, :]), each sum rounded once to float32. */
function gatherAndAdd(
  out: Float32Array,
  table: Float32Array,
  ids: Int32Array,
  positions: Float32Array | undefined,
  dim: number,
  { positionStart, contextLength, firstRow }: InputEmbeddingsAttrs,
): void {
  for (let i = 0; i < ids.length; i++) {
    const row = table.subarray(ids[i] * dim, (ids[i] + 1) * dim)
    out.set(row, i * dim)
    if (positions === undefined) continue
    const position = (positionStart + ((firstRow + i) % contextLength)) * dim
    for (let c = 0, at = i * dim; c < dim; c++, at++) out[at] += positions[position + c]
  }
}
