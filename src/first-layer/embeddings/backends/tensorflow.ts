import { engine, getKernel, registerKernel, type Tensor, tidy } from '@tensorflow/tfjs-core'
import { INPUT_EMBEDDINGS, type InputEmbeddingsAttrs, type InputEmbeddingsInputs } from '../op.js'
import { type TensorflowBackend, tensorflowOps, type WordDtype, wordOps } from './tensorflow-ops.js'
import { hasTinyValues, rowSums, tinyRowSums, wideRows, wordsOf } from './tensorflow-rows.js'

/**
 * Registers the embedding op for backend `tensorflow` (`@tensorflow/tfjs-node`): GatherV2, AddV2, and Cast for 16 bits.
 * The rows are bit-equal to the cpu kernel's: a sum is one float32 addition, and both round to nearest even.
 *
 * TensorFlow reads a table in place if it starts at a multiple of 64 bytes in memory, as in a WebAssembly.Memory;
 * otherwise TensorFlow copies it, a float32 table at the first lookup, a 16-bit table at each. Rows are copied to `out`.
 */
export function registerTensorflowKernel(): void {
  if (getKernel(INPUT_EMBEDDINGS, 'tensorflow') !== undefined) return // a second one prints a warning
  registerKernel({
    kernelName: INPUT_EMBEDDINGS,
    backendName: 'tensorflow',
    kernelFunc({ inputs, backend, attrs }) {
      const tensorflow = backend as TensorflowBackend
      const given = inputs as unknown as InputEmbeddingsInputs
      const options = attrs as unknown as InputEmbeddingsAttrs
      const { dtype, out } = options
      const shape = [given.ids.shape[0], given.table.shape[1]]
      const [rows] = tidy((): Tensor[] => {
        const found =
          dtype === 'float32'
            ? wideRowsOf(given, options, tensorflow)
            : narrowRowsOf(given, options, dtype, tensorflow)
        if (out === undefined)
          return [found.rank === 2 ? found : tensorflowOps(tensorflow).reshape(found, shape)]
        out.set(found.dataSync())
        return []
      })
      return rows ?? []
    },
  })
}

/** The float32 rows: [n, C], or [B, T, C] if they are whole windows. */
function wideRowsOf(
  { table, ids, positions }: InputEmbeddingsInputs,
  attrs: InputEmbeddingsAttrs,
  backend: TensorflowBackend,
): Tensor {
  const { tableDtype, positionsDtype } = attrs
  // Before TensorFlow takes the table: afterwards, reading the elements would copy the whole table.
  const isTinyTable = hasTinyValues(table, tableDtype, backend)
  const rows = wideRows(backend, table, tableDtype)
  if (positions === undefined) return rows.gather(ids)
  const added = wideRows(backend, positions, positionsDtype)
  if (isTinyTable || hasTinyValues(positions, positionsDtype, backend)) {
    const sums = tinyRowSums(rows, ids, added, attrs)
    return engine().makeTensor(sums, [ids.shape[0], table.shape[1]], 'float32') as Tensor
  }
  return rowSums(tensorflowOps(backend), rows, ids, added, attrs)
}

/** The bits of the rows as 16-bit numbers. */
function narrowRowsOf(
  inputs: InputEmbeddingsInputs,
  attrs: InputEmbeddingsAttrs,
  dtype: WordDtype,
  backend: TensorflowBackend,
): Tensor {
  const { gatherBits, narrow } = wordOps(backend)
  const { table, ids, positions } = inputs
  const isCopy = positions === undefined && attrs.tableDtype === dtype
  return isCopy
    ? gatherBits(wordsOf(backend, table, dtype), ids)
    : narrow(wideRowsOf(inputs, attrs, backend), dtype)
}

/** TensorFlow's version, if backend `tensorflow` is in use: `2.9.1`, `2.15.1`. */
export function tensorflowVersion(): string {
  return (engine().backend as TensorflowBackend).binding.TF_Version
}
